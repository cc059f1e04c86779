// What breaks in turn while users of three cells buy, read and consume: services, databases, the router, its
// map; and users move. Those whom it does not touch notice nothing, and afterwards nothing is lost, twice, or
// in another cell.
import { Agent } from 'node:http'
import type { Emulator } from '../../packages/chargily-emulator/src/emulator.js'
import type { MoveStep } from '../../packages/ishtirak/src/cells/move.js'
import { type Database, statement } from '../../packages/ishtirak/src/database/database.js'
import { openPostgres } from '../../packages/ishtirak/src/database/server/postgres.js'
import { partOf, partsOf } from '../../packages/ishtirak/src/runtime/cells.js'
import { OPERATOR_KEY } from '../support/operator.js'
import { waitFor } from '../support/wait-for.js'
import { tokenOf } from '../support/world.js'
import { type Audit, audit } from './audit.js'
import { CellTraffic, STATUS, withToken } from './cell-traffic.js'
import { CELL_NAMES, type CellName, Cells } from './cells.js'
import { auditConsumes, consume, consumePath } from './consumes.js'
import type { Excuse } from './excuses.js'
import type { Sale } from './sales.js'
import { outagesInTurn } from './server-outages.js'
import { exchange, NO_ANSWER_MS, type SentRequest, webhookOf } from './webhook-client.js'

export interface CellOutage {
  readonly name: string
  /** Requests of those it touches that failed. */
  readonly failed: number
  /** The longest of them until it was acknowledged. */
  readonly longestMs: number
  readonly lastedMs: number
}

export interface CellFigures {
  readonly outages: readonly CellOutage[]
  readonly acknowledged: { readonly requests: number; readonly sales: number; readonly operations: number }
  readonly payments: Audit
  readonly operations: Audit
  /** Failed requests that nothing excuses, rows in another cell, sums that differ. */
  readonly faults: readonly string[]
}

interface Harm {
  readonly excuse: (cells: Cells) => Omit<Excuse, 'name'>
  /** Ends when nobody's requests fail any more. */
  readonly act: (run: CellRun, excused: { readonly failed: number }) => Promise<void>
}

/** Of a, which may move to b and back. */
const PARTS = '43-85'

const ofCell = (cells: Cells, name: CellName) => (userId: string) => cells.holderOf(userId) === name
const ofParts = (parts: string) => (userId: string) => partsOf(parts)?.includes(partOf(userId)) === true
function userOf(parts: string): string {
  for (let n = 0; ; n++) if (ofParts(parts)(`mover-${n}`)) return `mover-${n}`
}
/** An outage has an effect when so many requests have failed. */
const FELT = 5
const isFelt = (excused: { readonly failed: number }) => waitFor(() => excused.failed >= FELT)

/** Where a kept connection to the server ends, HAProxy ends that to the client without an answer. */
const KILLED = [502, 503, 'none'] as const

const servicesKilled = (name: CellName): Harm => ({
  excuse: (cells) => ({ touches: ofCell(cells, name), refusals: KILLED }),
  act: async (run, excused) => {
    await run.cells.killServices(name)
    await isFelt(excused)
    await run.cells.startServices(name)
    await run.answers(name)
  },
})

const databaseKilled = (name: CellName): Harm => ({
  excuse: (cells) => ({ touches: ofCell(cells, name), refusals: [503] }),
  act: async (run, excused) => {
    run.cells.node(name).kill()
    await isFelt(excused)
    await run.cells.node(name).start()
    await run.cells.isReady(name)
    await run.answers(name)
  },
})

const routerKilled: Harm = {
  excuse: () => ({ touches: () => true, refusals: ['none'] }),
  act: async (run, excused) => {
    await run.cells.router.kill('SIGKILL')
    await isFelt(excused)
    await run.cells.router.start()
    for (const name of CELL_NAMES) await run.answers(name)
  },
}

const moved = (parts: string, between: readonly [CellName, CellName]): Harm => ({
  // By a connection that was idle the router may ask once more as it did before.
  excuse: () => ({ touches: ofParts(parts), refusals: [503, 421] }),
  act: async (run) => {
    const { code, output } = await run.cells.move({ parts, ...run.cells.way(parts, between) })
    if (code !== 0) throw new Error(output)
    await run.answersFor(userOf(parts))
    run.traffic.reconnect()
  },
})

/** What a move needs is killed as it has done a step; the command is run again until it has finished. */
const movedWhile = (step: MoveStep, kill: 'services' | 'database', of: 'from' | 'to'): Harm => ({
  excuse: (cells) => {
    const name = cells.way(PARTS, ['a', 'b'])[of]
    const [isTouched, moves] = [ofCell(cells, name), ofParts(PARTS)]
    return { touches: (userId) => moves(userId) || isTouched(userId), refusals: [...KILLED, 421] }
  },
  act: async (run) => {
    const { cells } = run
    const way = cells.way(PARTS, ['a', 'b'])
    const harm = async () => {
      const node = cells.node(way[of])
      if (kill === 'services') await cells.killServices(way[of])
      else node.kill()
      await (kill === 'services' ? cells.startServices(way[of]) : node.start())
      await cells.isReady(way[of])
    }
    let harmed: Promise<void> | undefined
    const onOutput = (output: string) => {
      if (output.includes(`${step}: `)) harmed ??= harm()
    }
    const first = await cells.move({ parts: PARTS, ...way }, { onOutput })
    await harmed
    if (!harmed) throw new Error(first.output)
    if (first.code !== 0) {
      const again = await cells.move({ parts: PARTS, ...way })
      if (again.code !== 0) throw new Error(`${first.output}${again.output}`)
    }
    for (const name of CELL_NAMES) await run.answers(name)
    await run.answersFor(userOf(PARTS))
    run.traffic.reconnect()
  },
})

/** The router takes users of one cell for those of another. */
const wrongMap = (name: CellName, other: CellName): Harm => ({
  excuse: (cells) => ({ touches: ofCell(cells, name), refusals: [421] }),
  act: async (run, excused) => {
    const { cells, traffic } = run
    const right = cells.listed
    const wrong = right.map((cell) => {
      const others = right.find((one) => one.name === name)?.parts ?? []
      if (cell.name === name) return { ...cell, parts: [] }
      return cell.name === other ? { ...cell, parts: [...cell.parts, ...others] } : cell
    })
    const sales = await Promise.all(traffic.newUsers(name, 5).map((userId) => traffic.open(userId)))
    await cells.router.reload(wrong)
    for (const sale of sales) await run.isRefused(sale, name)
    await isFelt(excused)
    await cells.router.reload(right)
    await run.answers(name)
    run.traffic.reconnect()
    for (const sale of sales) await traffic.deliver(sale)
  },
})

export const CELL_OUTAGES: Readonly<Record<string, Harm>> = {
  'services of a killed': servicesKilled('a'),
  'database of b killed': databaseKilled('b'),
  'router killed': routerKilled,
  'half of a moved to b': moved(PARTS, ['a', 'b']),
  'services of b killed': servicesKilled('b'),
  'database of a killed': databaseKilled('a'),
  'users of c sent to a': wrongMap('c', 'a'),
  'moved, services left killed when copied': movedWhile('copied', 'services', 'from'),
  'moved, services reached killed when fenced': movedWhile('fenced', 'services', 'to'),
  'moved, database left killed when fenced': movedWhile('fenced', 'database', 'from'),
  'moved, database reached killed when fenced': movedWhile('fenced', 'database', 'to'),
  'moved, database left killed when switched': movedWhile('switched', 'database', 'from'),
  'moved, database reached killed when switched': movedWhile('switched', 'database', 'to'),
}

export async function runCellOutages(options: {
  readonly emulator: Emulator
  readonly only: readonly string[]
  readonly salesPerOutage: number
  /** Processes of each cell. */
  readonly services: number
  readonly onOutage?: (figures: CellOutage) => void
}): Promise<CellFigures> {
  const cells = await Cells.begin(options.emulator, options.services)
  try {
    const run = await CellRun.begin(cells, options.emulator)
    const chosen = Object.entries(CELL_OUTAGES).filter(([name]) => options.only.includes(name))
    const outages = await outagesInTurn(run, { ...options, outages: Object.fromEntries(chosen) }).catch(
      async (error) => {
        await run.traffic.stop()
        throw error
      },
    )
    return await run.figures(outages)
  } finally {
    await cells.end()
  }
}

class CellRun {
  /** Of one request each: a connection of before may ask as the router did then. */
  readonly #agent = new Agent({ keepAlive: false })

  private constructor(
    readonly cells: Cells,
    readonly traffic: CellTraffic,
  ) {}

  static async begin(cells: Cells, emulator: Emulator): Promise<CellRun> {
    const holderOf = (userId: string) => cells.holderOf(userId)
    await waitFor(() => cells.isWhole())
    return new CellRun(cells, new CellTraffic({ url: cells.url, emulator, holderOf }))
  }

  async outage(name: string, harm: Harm, sales: number): Promise<CellOutage> {
    const selling = this.traffic.sell(sales)
    const begun = async () => {
      // A fourth is booked before, so that it can be lost.
      await waitFor(() => selling.done >= sales / 4)
      const began = performance.now()
      const excused = this.traffic.excuses.begin({ name, ...harm.excuse(this.cells) })
      await harm.act(this, excused)
      excused.until = performance.now()
      return { excused, lastedMs: excused.until - began }
    }
    const [{ excused, lastedMs }] = await Promise.all([begun(), selling.ended])
    return { name, failed: excused.failed, longestMs: excused.longestMs, lastedMs }
  }

  /** Resolves when the router has the cell again. */
  answers(name: CellName): Promise<void> {
    return this.answersFor(this.traffic.newUsers(name, 1)[0] ?? '')
  }

  async answersFor(userId: string): Promise<void> {
    const token = await tokenOf({ sub: userId })
    for (let times = 0; times < ANSWERS; times++)
      await waitFor(async () => (await this.#ask(STATUS, withToken(token))).outcome === 200)
  }

  /** Whatever is asked for the user of this sale is refused with the cell that has them. */
  async isRefused(sale: Sale, cell: CellName): Promise<void> {
    const { userId, token } = sale
    const json = { ...withToken(token).headers, 'content-type': 'application/json' }
    const upgrade = { method: 'POST', headers: json, body: JSON.stringify({ plan: 'pro' }) }
    const all: readonly (readonly [string, SentRequest])[] = [
      [STATUS, withToken(token)],
      ['/api/v1/billing/upgrade', upgrade],
      ['/api/v1/billing/webhook', webhookOf(sale)],
      [consumePath(userId), consume(`refused ${userId}`)],
    ]
    for (const [path, request] of all) {
      const { outcome, text } = await this.#ask(path, request)
      const { code, cell: right } = JSON.parse(text)
      if (outcome !== 421 || code !== 'wrong_cell' || right !== cell)
        this.#faults.push(`${path} of another cell's user is answered ${outcome}: ${text}`)
    }
  }

  async figures(outages: readonly CellOutage[]): Promise<CellFigures> {
    await this.traffic.stop()
    const databases = this.cells.urls.map((url) => openPostgres({ url, maxConnections: 1 }))
    try {
      const { operations } = this.traffic
      const payments = await audit(databases, this.traffic)
      return {
        outages,
        acknowledged: {
          requests: this.traffic.excuses.answered,
          sales: this.traffic.answered.size,
          operations: operations.acknowledged.size,
        },
        payments,
        operations: await auditConsumes(databases, operations),
        faults: [
          ...this.#faults,
          ...this.traffic.excuses.unexcused,
          ...(await strays(databases)),
          ...(await this.#sums(payments.booked)),
          ...this.cells.bugs,
        ],
      }
    } finally {
      for (const database of databases) await database.close()
    }
  }

  /** What operators read of the year from all cells at once, which count every ten seconds. */
  async #sums(sold: number): Promise<string[]> {
    const now = new Date().toISOString().slice(0, 7)
    const headers = { authorization: `Bearer ${OPERATOR_KEY}` }
    let found = ''
    const isRight = async () => {
      const { text } = await this.#ask(`/api/v1/operator/years/${now}`, { headers })
      const months: { paid: number; users: { new: number } }[] = JSON.parse(text).months
      const paid = months.reduce((sum, month) => sum + month.paid, 0)
      const users = months.reduce((sum, month) => sum + month.users.new, 0)
      found = `${paid} DZD of ${users} users, of ${sold}`
      return paid === sold * PRICE && users === sold
    }
    return waitFor(isRight).then(
      () => [],
      () => [`the year has ${found}`],
    )
  }

  readonly #faults: string[] = []

  #ask(path: string, request: SentRequest) {
    return exchange(this.#agent, `${this.cells.url}${path}`, request, NO_ANSWER_MS)
  }
}

/** In turn by new connections, so that no server and no process of the router is left that refuses. */
const ANSWERS = 10
/** Of the plan that all buy, in dinars. */
const PRICE = 2_000

const tablesOfUsers = statement(
  'faults.tables_of_users',
  `select string_agg(format(
            'select %L as name, count(*) as rows from %I where not exists (
               select from cell_parts where part = part_of(user_id)) having count(*) > 0',
              table_name, table_name),
            ' union all ') as sql
   from information_schema.columns
   join information_schema.tables using (table_schema, table_name)
   where column_name = 'user_id' and table_schema = current_schema() and table_type = 'BASE TABLE'`,
)
const leftOvers = statement(
  'faults.moves_left',
  `select (select count(*) from cell_moves) + (select count(*) from pg_trigger where tgname = 'user_moves')
     + (select count(*) from pg_namespace where nspname like '%\\_move') as left`,
)

/** Rows of users whom the cell does not have, and what a move has left. */
async function strays(databases: readonly Database[]): Promise<string[]> {
  const found = databases.map(async (database, place) => {
    const [tables] = await database.query(tablesOfUsers)
    const rows = await database.query(statement('faults.strays', String(tables?.sql)))
    const [left] = await database.query(leftOvers)
    return [
      ...rows.map((row) => `cell ${CELL_NAMES[place]}: ${row.rows} rows of others in ${row.name}`),
      ...(Number(left?.left) > 0 ? [`cell ${CELL_NAMES[place]}: a move is left`] : []),
    ]
  })
  return (await Promise.all(found)).flat()
}
