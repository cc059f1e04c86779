// What operators read of bank statements, by API and by command; and a statement that is read in.
import { type AskedPage, list } from '../acts/list.js'
import { byInstant, pageCursor } from '../acts/paging.js'
import { reading } from '../acts/reading.js'
import { DAY } from '../core/instant.js'
import type { Permission } from '../core/role.js'
import { viewRows } from '../ledger/schemas.js'
import { readDay } from './bank-day.js'
import { BANK_FILE_BYTES_MAX } from './bank-file.js'
import type { BankLineState } from './bank-line.js'
import { awaitedTransfers } from './bank-matches.sql.js'
import {
  AwaitedFilterSchema,
  AwaitedSchema,
  ImportQuerySchema,
  LineSchema,
  LinesFilterSchema,
  StatementParamsSchema,
  StatementQuerySchema,
  StatementSchema,
  StatementSummarySchema,
} from './bank-schemas.js'
import { linesIn, newestStatements } from './bank-statements.sql.js'
import { importStatement } from './import-statement.js'
import {
  type BankDeps,
  matched,
  readStatement,
  viewLine,
  viewStatement,
  viewSummary,
} from './read-statement.js'

export const READ_STATEMENTS: Permission = { name: 'statement.read', roles: ['accountant'] }
export const IMPORT_STATEMENT: Permission = { name: 'statement.import', roles: ['accountant'] }

const SHOWN = 50

const byPlace = pageCursor<{ readonly place: number }>(
  ({ place }) => [place],
  ([place]) => (typeof place === 'number' ? { place } : null),
)
const byDay = pageCursor<{ readonly day: string; readonly id: string }>(
  ({ day, id }) => [day, id],
  ([day, id]) => (isDay(day) && typeof id === 'string' ? { day, id } : null),
)

function isDay(part: unknown): part is string {
  return typeof part === 'string' && readDay(part, 'ymd') === part
}

/** Money in without a payment, from a line on; or lines in another state. */
export async function pageOfLines(
  deps: BankDeps,
  { state = 'open' }: { readonly state?: BankLineState },
  { cursor, limit }: AskedPage,
) {
  const after = cursor === null ? null : byDay.decode(cursor)
  return byDay.pageOf(await matched(deps, await linesIn(deps.database, { state, after, limit })), limit)
}

/** A page of a statement, from a line on. */
async function pageOfStatement(
  deps: BankDeps,
  id: string,
  of: {
    readonly operator: Parameters<typeof viewStatement>[1]
    readonly cursor?: string | undefined
    readonly limit?: number | undefined
  },
) {
  const { cursor, limit = SHOWN } = of
  const after = cursor === undefined ? 0 : byPlace.decode(cursor).place
  const read = await readStatement(deps, id)
  const rest = read.lines.filter(({ place }) => place > after)
  const { items, nextCursor } = byPlace.pageOf(rest, limit)
  const data = items.map((line) => viewLine(line, id))
  return { ...viewStatement(read, of.operator), data, next_cursor: nextCursor }
}

const readStatements = reading<BankDeps>()

export const importBankStatement = readStatements.reads({
  ...IMPORT_STATEMENT,
  method: 'POST',
  path: '/bank-statements',
  takes: { mostBytes: BANK_FILE_BYTES_MAX },
  operationId: 'importBankStatement',
  summary: 'Read in a bank statement',
  description:
    'The body is the file as the bank gives it: CSV, at most 5 MiB. How it is written is said in ' +
    'TRANSFER_FILE or here, else guessed; what can be two things is refused with `unclear`, `form` and ' +
    '`first_rows`. Lines that are known stay once, so a file may be sent again.',
  query: ImportQuerySchema,
  refuses: ['payload_too_large', 'request_timeout', 'file_not_accepted'],
  answer: StatementSchema,
  // The command that reads a file is in cli-import.ts.
  command: null,
  read: async (deps, { query: { account, ...said }, operator, file }) => {
    const by = { operator, reason: null }
    const id = await importStatement(deps, { account, file, said }, by)
    return pageOfStatement(deps, id, { operator })
  },
})

export const statementList = list<BankDeps>()({
  permission: READ_STATEMENTS,
  path: '/bank-statements',
  operationId: 'listBankStatements',
  summary: 'Bank statements that were read in, newest first',
  item: StatementSummarySchema,
  title: 'BankStatements',
  command: { usage: 'bank-statements list', rows: 'statements' },
  read: async ({ database }, _, { cursor, limit }) => {
    const after = cursor === null ? null : byInstant.decode(cursor)
    const found = await newestStatements(database, { after, limit })
    return byInstant.pageBy(found, limit, ({ importedAt: at, id }) => ({ at, id }))
  },
  view: () => viewSummary,
})

export const getStatement = readStatements.reads({
  ...READ_STATEMENTS,
  path: '/bank-statements/:statement_id',
  operationId: 'getBankStatement',
  summary: 'A bank statement, its lines beside the transfers that they may be for',
  params: StatementParamsSchema,
  query: StatementQuerySchema,
  refuses: ['invalid_cursor'],
  answer: StatementSchema,
  command: {
    usage: 'bank-statements show <statement>',
    show: ({ data, ...rest }) => ({ ...rest, lines: data }),
  },
  read: (deps, { params, query, operator }) =>
    pageOfStatement(deps, params.statement_id, { operator, ...query }),
})

export const lineList = list<BankDeps>()({
  permission: READ_STATEMENTS,
  path: '/bank-lines',
  operationId: 'listBankLines',
  summary: 'Money in without a payment, newest first; or lines in another state',
  filter: LinesFilterSchema,
  item: LineSchema,
  title: 'BankLines',
  command: { usage: 'bank-statements lines', rows: 'lines' },
  read: pageOfLines,
  view: () => (line) => viewLine(line, line.statementId),
})

export const AWAITED_DAYS = 3

export const awaitedList = list<BankDeps>()({
  permission: READ_STATEMENTS,
  path: '/bank-statements/awaited',
  operationId: 'listAwaitedTransfers',
  summary: 'Payments without money: transfers that no line of the statements of their days names',
  description: 'Oldest first, at most 100.',
  filter: AwaitedFilterSchema,
  item: AwaitedSchema,
  title: 'AwaitedTransfers',
  isWhole: true,
  command: { usage: 'bank-statements awaited', rows: 'transfers' },
  read: async (deps, { days = AWAITED_DAYS }) => ({ items: await awaited(deps, days), nextCursor: null }),
})

/** Transfers whose money should have come by now. */
export async function awaited(deps: BankDeps, days: number) {
  const { database, clock, wallClock, transfers } = deps
  const accounts = [...new Set(transfers?.accounts.map(({ kind }) => kind))]
  const orderedBefore = clock.now() - days * DAY
  const of = { orderedBefore, accounts, timeZone: wallClock.timeZone, days }
  return viewRows(AwaitedSchema, await awaitedTransfers(database, of))
}
