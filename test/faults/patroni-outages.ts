// A cluster under webhooks and consumes, sent to two processes of the service, loses one machine after the
// other. Afterwards every server of it is read: everything that was acknowledged is there, once.
import type { Emulator } from '../../packages/chargily-emulator/src/emulator.js'
import { openPostgres } from '../../packages/ishtirak/src/database/server/postgres.js'
import { createDatabase, withDatabaseName } from '../support/admin.js'
import { WITH_PLATFORM } from '../support/platform.js'
import { launchService } from '../support/process.js'
import { type Audit, audit } from './audit.js'
import { auditConsumes, Consumes } from './consumes.js'
import { serverInstallation } from './installations.js'
import { PatroniCluster } from './patroni.js'
import { openSales } from './sales.js'
import { outagesInTurn } from './server-outages.js'
import { Traffic } from './traffic.js'

/** One HAProxy for each process of the service, as on its own machine. */
const BALANCERS = ['127.0.0.1', '127.0.0.2']

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
  readonly servers: readonly { readonly name: string; readonly payments: Audit; readonly operations: Audit }[]
  readonly acknowledged: { readonly payments: number; readonly operations: number }
  readonly slowestMs: number
  /** Answers other than 200 and 503, and bugs in the log. */
  readonly faults: readonly string[]
}

/** Does the harm, and resolves when all three servers replicate again. */
type Harm = (cluster: PatroniCluster) => Promise<void>

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

class ClusterRun {
  readonly #traffic: Traffic
  readonly #consumes: Consumes
  #sold = 0

  private constructor(
    private readonly cluster: PatroniCluster,
    private readonly emulator: Emulator,
    private readonly installations: readonly Awaited<ReturnType<typeof serverInstallation>>[],
    private readonly services: readonly ReturnType<typeof launchService>[],
    private readonly urls: readonly string[],
  ) {
    this.#traffic = new Traffic(urls)
    this.#consumes = new Consumes(urls)
  }

  static async begin(cluster: PatroniCluster, emulator: Emulator): Promise<ClusterRun> {
    const balancers = await Promise.all(BALANCERS.map((address) => cluster.balance(address)))
    await createDatabase(balancers[0] ?? '', 'faults')
    const installations = await Promise.all(
      balancers.map((url) => serverInstallation(emulator, withDatabaseName(url, 'faults'))),
    )
    const services = installations.map(({ env }) => launchService({ ...env, ...WITH_PLATFORM }))
    const urls = await Promise.all(services.map((service) => service.listening()))
    return new ClusterRun(cluster, emulator, installations, services, urls)
  }

  async outage(name: string, harm: Harm, sales: number): Promise<ClusterOutage> {
    const userIds = Array.from({ length: sales }, () => `buyer-${++this.#sold}`)
    const opened = await openSales({ serviceUrl: this.urls[0] ?? '', emulator: this.emulator, userIds })
    const refusedBefore = this.#refused
    this.#traffic.add(opened)
    // A third is booked before the outage, so that it can be lost; the rest arrives during it.
    await this.#traffic.answered(opened, 1 / 3)
    const harmedAt = performance.now()
    await harm(this.cluster)
    await this.cluster.isWhole()
    await this.#traffic.answered(opened)
    return {
      name,
      refused: this.#refused - refusedBefore,
      gapMs: this.#consumes.longestGapMs(harmedAt),
    }
  }

  /** Ends the storm and reads every server. */
  async figures(): Promise<Omit<ClusterFigures, 'outages'>> {
    await this.#traffic.stop()
    await this.#consumes.stop()
    await this.cluster.hasReplicated()
    const servers = await Promise.all(this.cluster.machines.map((machine) => this.#audit(machine)))
    const bugs = this.services.flatMap(({ lines }) => lines.filter((line) => line.includes('"a bug"')))
    return {
      servers,
      acknowledged: {
        payments: this.#traffic.webhooks.answered.size,
        operations: this.#consumes.acknowledged.size,
      },
      slowestMs: Math.max(this.#traffic.webhooks.slowestMs, this.#consumes.slowestMs),
      faults: [...this.#traffic.unexpected, ...this.#consumes.unexpected, ...bugs],
    }
  }

  async end(): Promise<void> {
    await this.#traffic.stop()
    await this.#consumes.stop()
    await Promise.all(this.services.map((service) => service.kill('SIGKILL')))
    await Promise.all(this.installations.map((installation) => installation.remove()))
  }

  get #refused(): number {
    return this.#traffic.count(503) + (this.#consumes.outcomes.get(503) ?? 0)
  }

  async #audit({ name, address }: PatroniCluster['machines'][number]) {
    const url = withDatabaseName(this.cluster.urlOf(address), 'faults')
    const database = openPostgres({ url, maxConnections: 1 })
    try {
      return {
        name,
        payments: await audit([database], this.#traffic.webhooks),
        operations: await auditConsumes([database], this.#consumes),
      }
    } finally {
      await database.close()
    }
  }
}
