// A cluster under webhooks, consumes and acts of an operator, sent to two processes of the service, loses one
// machine after the other. Afterwards every server of it is read: everything that was acknowledged is there,
// once.
import type { Emulator } from '../../packages/chargily-emulator/src/emulator.js'
import { openPostgres } from '../../packages/ishtirak/src/database/server/postgres.js'
import { createDatabase, withDatabaseName } from '../support/admin.js'
import { OPERATOR_ENV } from '../support/operator.js'
import { WITH_PLATFORM } from '../support/platform.js'
import { launchService } from '../support/process.js'
import { waitFor } from '../support/wait-for.js'
import { type Audit, audit } from './audit.js'
import { Calls } from './calls.js'
import { auditConsumes, CONSUMES } from './consumes.js'
import { auditGrants, GRANTS, rememberGranted } from './grants.js'
import { serverInstallation } from './installations.js'
import { PatroniCluster } from './patroni.js'
import { openSales } from './sales.js'
import { outagesInTurn } from './server-outages.js'
import { Traffic } from './traffic.js'
import type { SendOutcome } from './webhook-client.js'

/** The service machines: each has a process of the service and an HAProxy. */
const SERVICES = ['127.0.0.1', '127.0.0.2'] as const
/** Consumes that the other service machine answers while one is gone. */
const SERVED_MEANWHILE = 200

export interface ClusterOutage {
  readonly name: string
  /** Answers with 503. */
  readonly refused: number
  /**
   * The longest time between two acknowledged consumes. Each of them is a commit, unlike an event that is
   * sent again.
   */
  readonly gapMs: number
}

export interface ClusterFigures {
  readonly outages: readonly ClusterOutage[]
  /** Of each server. */
  readonly servers: readonly ({ readonly name: string } & Readonly<Record<Load, Audit>>)[]
  readonly acknowledged: Readonly<Record<Load, number>>
  readonly slowestMs: number
  /**
   * Answers other than 200 and 503, and bugs in the log. A killed service machine may leave a request without
   * an answer.
   */
  readonly faults: readonly string[]
}

export const LOADS = ['payments', 'consumes', 'acts'] as const
type Load = (typeof LOADS)[number]

/** Does the harm, and resolves when the machine is back. */
type Harm = (cluster: PatroniCluster, service: ServiceMachine) => Promise<void>

interface ServiceMachine {
  /** With its HAProxy. */
  kill(): Promise<void>
  boot(): Promise<void>
  /** Resolves when the other one has answered for it. */
  isReplaced(): Promise<void>
}

export const CLUSTER_OUTAGES: Readonly<Record<string, Harm>> = {
  switchover: async (cluster) => {
    await cluster.switchOver()
  },
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
  readonly onOutage?: (outage: ClusterOutage) => void
}): Promise<ClusterFigures> {
  await using cluster = await PatroniCluster.create()
  const run = await ClusterRun.begin(cluster, options.emulator)
  try {
    const outages = await outagesInTurn(run, options)
    return { outages, ...(await run.figures()) }
  } finally {
    await run.end()
  }
}

type Service = ReturnType<typeof launchService>

class ClusterRun {
  readonly #traffic: Traffic
  readonly #consumes: Calls
  readonly #acts: Calls
  #sold = 0
  /** Requests that a killed service machine left without an answer. */
  #cutShort = 0
  readonly #killed: Service[] = []

  private constructor(
    private readonly cluster: PatroniCluster,
    private readonly emulator: Emulator,
    private readonly installations: readonly Awaited<ReturnType<typeof serverInstallation>>[],
    private readonly services: Service[],
    private readonly urls: readonly string[],
  ) {
    this.#traffic = new Traffic(urls)
    this.#consumes = new Calls(urls, CONSUMES)
    this.#acts = new Calls(urls, GRANTS)
  }

  static async begin(cluster: PatroniCluster, emulator: Emulator): Promise<ClusterRun> {
    const balancers = await Promise.all(SERVICES.map((address) => cluster.balance(address)))
    await createDatabase(balancers[0] ?? '', 'faults')
    const installations = await Promise.all(
      balancers.map((url) => serverInstallation(emulator, withDatabaseName(url, 'faults'))),
    )
    const services = installations.map(launch)
    const urls = await Promise.all(services.map((service) => service.listening()))
    await rememberGranted(urls[0] ?? '')
    return new ClusterRun(cluster, emulator, installations, services, urls)
  }

  async outage(name: string, harm: Harm, sales: number): Promise<ClusterOutage> {
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
      gapMs: this.#consumes.longestGapMs(harmedAt),
    }
  }

  /** Sales are opened at the first one. */
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
        await service.listening()
        this.#cutShort += this.#count('none') - unanswered
      },
    }
  }

  /** Ends the storm and reads every server. */
  async figures(): Promise<Omit<ClusterFigures, 'outages'>> {
    await this.#stop()
    await this.cluster.hasReplicated()
    const servers = await Promise.all(this.cluster.machines.map((machine) => this.#audit(machine)))
    const lines = [...this.#killed, ...this.services].flatMap((service) => service.lines)
    return {
      servers,
      acknowledged: {
        payments: this.#traffic.webhooks.answered.size,
        consumes: this.#consumes.acknowledged.size,
        acts: this.#acts.acknowledged.size,
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

  get #unexpected(): string[] {
    const odd = LOADS.flatMap((load) =>
      [...this.#loads[load].outcomes]
        .filter(([outcome]) => outcome !== 200 && outcome !== 503 && outcome !== 'none')
        .map(([outcome, times]) => `${times} × ${load} ${outcome}`),
    )
    const unanswered = this.#count('none') - this.#cutShort
    return unanswered === 0 ? odd : [...odd, `${unanswered} × no answer`]
  }

  async #audit({ name, address }: PatroniCluster['machines'][number]) {
    const url = withDatabaseName(this.cluster.urlOf(address), 'faults')
    const database = openPostgres({ url, maxConnections: 1 })
    try {
      return {
        name,
        payments: await audit(database, this.#traffic.webhooks),
        consumes: await auditConsumes(database, this.#consumes),
        acts: await auditGrants(database, this.#acts),
      }
    } finally {
      await database.close()
    }
  }
}

function launch({ env }: Awaited<ReturnType<typeof serverInstallation>>): Service {
  return launchService({ ...env, ...WITH_PLATFORM, ...OPERATOR_ENV })
}
