// Webhooks get 503 during an outage and nothing else; afterwards the same process books them.
import type { Emulator } from '../../packages/chargily-emulator/src/emulator.js'
import { createDatabase, withDatabaseName } from '../support/admin.js'
import { launchService } from '../support/process.js'
import { waitFor } from '../support/wait-for.js'
import { type Audit, audit } from './audit.js'
import { type Installation, install, readServer } from './installations.js'
import { PostgresNode } from './postgres-node.js'
import { openSales } from './sales.js'
import { Traffic } from './traffic.js'
import { openAddress, type VirtualAddress } from './virtual-address.js'

export type Break = (run: ServerRun) => Promise<{ harmedAt: number; backAt: number }>

/** In this order: each begins with the servers that the previous one left. */
export const OUTAGES: Readonly<Record<string, Break>> = {
  'restarted (and copied into a standby)': (run) => run.restart(),
  'kill -9, recovered': (run) => run.killAndRecover(),
  'kill -9, standby promoted': (run) => run.killAndPromote(),
  'restarted again (and copied)': (run) => run.restart(),
  'switch-over, old primary read-only': (run) => run.switchOver(),
}

export async function outagesInTurn<Harm, Figures>(
  run: { outage(name: string, harm: Harm, sales: number): Promise<Figures> },
  options: {
    readonly outages: Readonly<Record<string, Harm>>
    readonly salesPerOutage: number
    readonly onOutage?: (figures: Figures) => void
  },
): Promise<Figures[]> {
  const outages: Figures[] = []
  for (const [name, harm] of Object.entries(options.outages)) {
    const figures = await run.outage(name, harm, options.salesPerOutage)
    outages.push(figures)
    options.onOutage?.(figures)
  }
  return outages
}

export async function runServerOutages(options: {
  readonly emulator: Emulator
  readonly outages: Readonly<Record<string, Break>>
  readonly salesPerOutage: number
  readonly onOutage?: (figures: OutageFigures) => void
}) {
  const run = await ServerRun.begin(options.emulator)
  try {
    const outages = await outagesInTurn(run, options)
    return { outages, answered: run.traffic.webhooks.answered.size, faults: run.faults() }
  } finally {
    await run.end()
  }
}

export type OutageFigures = Awaited<ReturnType<ServerRun['outage']>>

class ServerRun {
  readonly traffic: Traffic
  #standby: PostgresNode | undefined
  readonly #gone: PostgresNode[] = []
  #sold = 0

  private constructor(
    private primary: PostgresNode,
    private readonly parts: {
      readonly emulator: Emulator
      readonly address: VirtualAddress
      readonly installation: Installation
      readonly service: ReturnType<typeof launchService>
      readonly serviceUrl: string
    },
  ) {
    this.traffic = new Traffic([parts.serviceUrl])
  }

  static async begin(emulator: Emulator): Promise<ServerRun> {
    const primary = await PostgresNode.create()
    await createDatabase(primary.url, 'faults')
    const address = await openAddress(primary.port)
    const url = new URL(withDatabaseName(primary.url, 'faults'))
    url.port = String(address.port)
    const installation = await install(emulator, { url: url.href })
    const service = launchService(installation.env)
    const serviceUrl = await service.listening()
    return new ServerRun(primary, { emulator, address, installation, service, serviceUrl })
  }

  async outage(name: string, harm: Break, salesPerOutage: number) {
    const { serviceUrl, emulator } = this.parts
    const userIds = Array.from({ length: salesPerOutage }, () => `user-${++this.#sold}`)
    const sales = await openSales({ serviceUrl, emulator, userIds })
    const refusedBefore = this.traffic.count(503)
    this.traffic.add(sales)
    // A third is booked before the outage, so that it can be lost; the rest arrives during it.
    await this.traffic.answered(sales, 1 / 3)
    const { harmedAt, backAt } = await harm(this)
    const bookedAt = await this.traffic.firstBookedAfter(backAt)
    await this.traffic.answered(sales)
    return {
      name,
      refused: this.traffic.count(503) - refusedBefore,
      /** Measured from the start of the outage to the first event booked after it. */
      outageMs: bookedAt - harmedAt,
      /** The part of it after the database accepted writes again. */
      recoveryMs: bookedAt - backAt,
      slowestMs: this.traffic.webhooks.slowestMs,
      audit: await this.#audit(),
    }
  }

  /** Stopped in order and started; a standby is copied while it is stopped. */
  async restart() {
    const harmedAt = performance.now()
    await this.primary.stop()
    const copy = await this.primary.copy()
    await this.#refusals()
    await this.primary.start()
    const backAt = performance.now()
    await copy.follow(this.primary)
    this.#standby = copy
    return { harmedAt, backAt }
  }

  async killAndRecover() {
    const harmedAt = performance.now()
    this.primary.kill()
    await this.#refusals()
    await this.primary.start()
    return { harmedAt, backAt: performance.now() }
  }

  /** The address moves first: for a while it leads to a standby that refuses writes. */
  async killAndPromote() {
    const standby = this.#requireStandby()
    const harmedAt = performance.now()
    this.primary.kill()
    this.parts.address.pointTo(standby.port)
    await this.#refusals()
    await standby.promote()
    const backAt = performance.now()
    this.#succeed(standby)
    return { harmedAt, backAt }
  }

  /** The old primary keeps the service's connections, which the service itself must give up. */
  async switchOver() {
    const standby = this.#requireStandby()
    const harmedAt = performance.now()
    await this.primary.makeReadOnly()
    await this.#refusals()
    await standby.promote()
    this.parts.address.pointTo(standby.port)
    const backAt = performance.now()
    this.#succeed(standby)
    return { harmedAt, backAt }
  }

  faults(): string[] {
    const hasEnded = this.parts.service.lines.some((line) => line.includes('"a bug"'))
    return [...this.traffic.unexpected, ...(hasEnded ? ['the service logged a bug'] : [])]
  }

  async end(): Promise<void> {
    await this.traffic.stop()
    await this.parts.service.kill('SIGKILL')
    await this.parts.address.close()
    await this.parts.installation.remove()
    for (const node of [this.#standby, this.primary, ...this.#gone]) await node?.remove()
  }

  /** Resolves when some webhooks were refused since the given instant: the outage has an effect. */
  async #refusals(): Promise<void> {
    const before = this.traffic.count(503)
    await waitFor(() => this.traffic.count(503) >= before + 5)
  }

  #audit(): Promise<Audit> {
    const url = withDatabaseName(this.primary.url, 'faults')
    return readServer(url, (database) => audit(database, this.traffic.webhooks))
  }

  #requireStandby(): PostgresNode {
    if (!this.#standby) throw new Error('no standby was made')
    return this.#standby
  }

  #succeed(standby: PostgresNode): void {
    this.#gone.push(this.primary)
    this.primary = standby
    this.#standby = undefined
  }
}
