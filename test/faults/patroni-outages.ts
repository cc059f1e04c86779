// A cluster loses one machine after the other. Afterwards everything acknowledged is on every server, once.
import type { Emulator } from '../../packages/chargily-emulator/src/emulator.js'
import { withDatabaseName } from '../support/admin.js'
import { OPERATOR_ENV } from '../support/operator.js'
import { WITH_PLATFORM } from '../support/platform.js'
import { launchService } from '../support/process.js'
import { waitFor } from '../support/wait-for.js'
import { audit } from './audit.js'
import { Calls, CONSUMES, GRANTS, rememberGranted } from './calls.js'
import { type Installation, install, readServer } from './installations.js'
import { PatroniCluster } from './patroni.js'
import { openSales } from './sales.js'
import { Traffic } from './traffic.js'
import type { SendOutcome } from './webhook-client.js'

const SERVICES = ['127.0.0.1', '127.0.0.2'] as const
/** Consumes that the other service machine answers while one is gone. */
const SERVED_MEANWHILE = 200

export const LOADS = ['payments', 'consumes', 'acts'] as const

type Harm = (cluster: PatroniCluster, service: ServiceMachine) => Promise<void>

interface ServiceMachine {
  kill(): Promise<void>
  boot(): Promise<void>
  /** Resolves when the other one has answered for it. */
  isReplaced(): Promise<void>
}

export const CLUSTER_OUTAGES: Readonly<Record<string, Harm>> = {
  switchover: (cluster) => cluster.switchOver(),
  'primary killed': async (cluster) => {
    const primary = await cluster.machineOf('leader')
    await primary.kill()
    await cluster.passesOn('leader', primary)
    await primary.boot()
  },
  'other standby killed': async (cluster) => {
    const standby = await cluster.machineOf('replica')
    await standby.kill()
    await cluster.isWithout(standby)
    await standby.boot()
  },
  'service machine killed': async (_cluster, service) => {
    await service.kill()
    await service.isReplaced()
    await service.boot()
  },
  'primary cut off': async (cluster) => {
    const primary = await cluster.machineOf('leader')
    primary.cutNetwork()
    await cluster.passesOn('leader', primary)
    primary.mendNetwork()
  },
  'synchronous standby cut off': async (cluster) => {
    const standby = await cluster.machineOf('sync_standby')
    standby.cutNetwork()
    await cluster.passesOn('sync_standby', standby)
    standby.mendNetwork()
  },
}

export async function runClusterOutages(options: {
  readonly emulator: Emulator
  readonly outages: Readonly<Record<string, Harm>>
  readonly salesPerOutage: number
  readonly onOutage: (outage: ClusterOutage) => void
}) {
  await using cluster = await PatroniCluster.create()
  const run = await ClusterRun.begin(cluster, options.emulator)
  try {
    for (const [name, harm] of Object.entries(options.outages))
      options.onOutage(await run.outage(name, harm, options.salesPerOutage))
    return await run.figures()
  } finally {
    await run.end()
  }
}

type Service = ReturnType<typeof launchService>
/** The longest gap is between two acknowledged consumes. */
export type ClusterOutage = Awaited<ReturnType<ClusterRun['outage']>>
export type ClusterFigures = Awaited<ReturnType<ClusterRun['figures']>>

class ClusterRun {
  readonly #traffic: Traffic
  readonly #consumes: Calls
  readonly #acts: Calls
  #sold = 0
  #cutShort = 0
  readonly #killed: Service[] = []

  private constructor(
    private readonly cluster: PatroniCluster,
    private readonly emulator: Emulator,
    private readonly installations: readonly Installation[],
    private readonly services: Service[],
    private readonly urls: string[],
  ) {
    this.#traffic = new Traffic(urls)
    this.#consumes = new Calls(urls, CONSUMES)
    this.#acts = new Calls(urls, GRANTS)
  }

  static async begin(cluster: PatroniCluster, emulator: Emulator): Promise<ClusterRun> {
    const balancers = await Promise.all(SERVICES.map((address) => cluster.balance(address)))
    cluster.createDatabase(balancers[0] ?? '')
    const installations = await Promise.all(
      SERVICES.map((address) => install(emulator, { url: cluster.serviceUrl(address) })),
    )
    const services = installations.map(launch)
    const urls = await Promise.all(services.map((service) => service.listening()))
    await rememberGranted(urls[0] ?? '')
    return new ClusterRun(cluster, emulator, installations, services, urls)
  }

  async outage(name: string, harm: Harm, sales: number) {
    const userIds = Array.from({ length: sales }, () => `buyer-${++this.#sold}`)
    const opened = await openSales({ serviceUrl: this.urls[0] ?? '', emulator: this.emulator, userIds })
    const refusedBefore = this.#count(503)
    this.#traffic.add(opened)
    // A third is booked before the outage, so that it can be lost; the rest arrives during it.
    await this.#traffic.answered(opened, 1 / 3)
    const harmedAt = performance.now()
    await harm(this.cluster, this.#lastService)
    await this.cluster.isWhole()
    await this.#traffic.answered(opened)
    return {
      name,
      refused: this.#count(503) - refusedBefore,
      // Each consume is a commit, unlike an event that is sent again.
      gapMs: this.#consumes.longestGapMs(harmedAt),
    }
  }

  get #lastService(): ServiceMachine {
    const place = SERVICES.length - 1
    const address = SERVICES[place] ?? ''
    let unanswered = 0
    let acknowledged = 0
    return {
      kill: async () => {
        unanswered = this.#count('none')
        acknowledged = this.#consumes.acknowledged.size
        this.#killed.push(...this.services.slice(place))
        await Promise.all([this.services[place]?.kill('SIGKILL'), this.cluster.killBalancer(address)])
      },
      isReplaced: () =>
        waitFor(async () => this.#consumes.acknowledged.size >= acknowledged + SERVED_MEANWHILE),
      boot: async () => {
        await this.cluster.balance(address)
        const [installation] = this.installations.slice(place)
        if (!installation) throw new Error('there is no service')
        const service = launch(installation)
        this.services[place] = service
        this.urls[place] = await service.listening()
        this.#cutShort += this.#count('none') - unanswered
      },
    }
  }

  async figures() {
    await this.#stop()
    await this.cluster.hasReplicated()
    const servers = await Promise.all(this.cluster.machines.map((machine) => this.#audit(machine)))
    const lines = [...this.#killed, ...this.services].flatMap((service) => service.lines)
    const [{ answered: payments }, consumes, acts] = [this.#traffic.webhooks, this.#consumes, this.#acts]
    return {
      servers,
      acknowledged: {
        payments: payments.size,
        consumes: consumes.acknowledged.size,
        acts: acts.acknowledged.size,
      },
      slowestMs: Math.max(...Object.values(this.#loads).map(({ slowestMs }) => slowestMs)),
      faults: [...this.#unexpected, ...lines.filter((line) => line.includes('"a bug"'))],
    }
  }

  async end(): Promise<void> {
    await this.#stop()
    await Promise.all(this.services.map((service) => service.kill('SIGKILL')))
    await Promise.all(this.installations.map((installation) => installation.remove()))
  }

  async #stop(): Promise<void> {
    await Promise.all([this.#traffic.stop(), this.#consumes.stop(), this.#acts.stop()])
  }

  get #loads() {
    return { payments: this.#traffic.webhooks, consumes: this.#consumes, acts: this.#acts } as const
  }

  #count(outcome: SendOutcome): number {
    return Object.values(this.#loads).reduce((sum, { outcomes }) => sum + (outcomes.get(outcome) ?? 0), 0)
  }

  /** A killed service machine may leave a request without an answer. */
  get #unexpected(): string[] {
    const odd = LOADS.flatMap((load) =>
      [...this.#loads[load].outcomes]
        .filter(([outcome]) => outcome !== 200 && outcome !== 503 && outcome !== 'none')
        .map(([outcome, times]) => `${times} × ${load} ${outcome}`),
    )
    const unanswered = this.#count('none') - this.#cutShort
    return unanswered === 0 ? odd : [...odd, `${unanswered} × no answer`]
  }

  #audit({ name, address }: PatroniCluster['machines'][number]) {
    return readServer(withDatabaseName(this.cluster.urlOf(address), 'ishtirak'), async (database) => ({
      name,
      payments: await audit(database, this.#traffic.webhooks),
      consumes: await this.#consumes.audit(database),
      acts: await this.#acts.audit(database),
    }))
  }
}

function launch({ env }: Installation): Service {
  return launchService({ ...env, ...WITH_PLATFORM, ...OPERATOR_ENV })
}
