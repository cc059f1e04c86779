// Readings of bank statements and their lines, by API and by command. One of them takes a file and stores it.
import { type Static, Type } from 'typebox'
import { list } from '../acts/list.js'
import { byInstant, cursorOf, pageCursor, pageQuery } from '../acts/paging.js'
import { type CommandAnswer, reading } from '../acts/reading.js'
import type { Operator, Permission } from '../core/role.js'
import { query, viewAs } from '../http/schemas.js'
import { readDay } from './bank-cell.js'
import { BANK_FILE_BYTES_MAX } from './bank-file.js'
import {
  ImportQuerySchema,
  LINE_KINDS,
  LINE_STATES,
  LineSchema,
  StatementParamsSchema,
  StatementSchema,
  StatementSummarySchema,
} from './bank-schemas.js'
import { linesIn, newestStatements } from './bank-statements.sql.js'
import { importStatement } from './import-statement.js'
import {
  type BankDeps,
  describeBankLine,
  matched,
  readStatement,
  sumOf,
  toApprove,
} from './read-statement.js'

export const READ_STATEMENTS: Permission = { name: 'statement.read', roles: ['accountant'] }
export const IMPORT_STATEMENT: Permission = { name: 'statement.import', roles: ['accountant'] }

const SHOWN = 50

const byPlace = cursorOf({ place: 'number' })
const byDay = pageCursor<{ readonly day: string; readonly id: string }>(
  ({ day, id }) => [day, id],
  ([day, id]) => (readDay(`${day}`, 'ymd') === day && typeof id === 'string' ? { day, id } : null),
)

const PageQuery = query(pageQuery)

/** A page of a statement, from a line on. */
async function pageOfStatement(
  deps: BankDeps,
  id: string,
  { operator, cursor, limit = SHOWN }: Static<typeof PageQuery> & { readonly operator: Operator },
) {
  const after = cursor === undefined ? 0 : byPlace.decode(cursor).place
  const read = await readStatement(deps, id)
  const rest = read.lines.filter(({ place }) => place > after)
  const { items, nextCursor } = byPlace.pageOf(rest, limit)
  const sure = toApprove(read, operator)
  return viewAs(StatementSchema, {
    ...read.statement,
    counts: Object.fromEntries(LINE_KINDS.map((kind) => [kind, read.of(kind).length])),
    to_approve: { count: sure.length, amount: sumOf(sure) },
    data: items.map(describeBankLine),
    next_cursor: nextCursor,
  })
}

const showLines = ({ data, ...statement }: CommandAnswer) => ({ ...statement, lines: data })

const readStatements = reading<BankDeps>()

export const importBankStatement = readStatements({
  ...IMPORT_STATEMENT,
  method: 'POST',
  path: '/bank-statements',
  takes: { mostBytes: BANK_FILE_BYTES_MAX },
  operationId: 'importBankStatement',
  summary: 'Read in a bank statement',
  description:
    'The body is the file as the bank gives it: CSV, at most 5 MiB. It is read as the last file of the ' +
    'account with the same headings, else its form is guessed. What can be two things is refused with ' +
    '`unclear`, `form` and `first_rows`, and may be said here. Lines that are known stay once, so a ' +
    'file may be sent again.',
  query: ImportQuerySchema,
  refuses: ['payload_too_large', 'request_timeout', 'file_not_accepted'],
  answer: StatementSchema,
  command: { usage: 'bank-statements import <file>', show: showLines },
  read: async (deps, { query, operator, file }) =>
    pageOfStatement(deps, await importStatement(deps, query, file, operator), { operator }),
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
    const found = await newestStatements(database, after, limit + 1)
    return byInstant.pageBy(found, limit, ({ imported_at: at, statement_id: id }) => ({ at, id }))
  },
  view: () => (statement) => viewAs(StatementSummarySchema, statement),
})

export const getStatement = readStatements({
  ...READ_STATEMENTS,
  path: '/bank-statements/:statement_id',
  operationId: 'getBankStatement',
  summary: 'A bank statement, its lines beside the transfers that they may be for',
  params: StatementParamsSchema,
  query: PageQuery,
  refuses: ['invalid_cursor'],
  answer: StatementSchema,
  command: { usage: 'bank-statements show <statement>', show: showLines },
  read: (deps, { params, query, operator }) =>
    pageOfStatement(deps, params.statement_id, { operator, ...query }),
})

export const lineList = list<BankDeps>()({
  permission: READ_STATEMENTS,
  path: '/bank-lines',
  operationId: 'listBankLines',
  summary: 'Money in without a payment, newest first; or lines in another state',
  filter: Type.Object({ state: Type.Optional(Type.Enum([...LINE_STATES], { default: 'open' })) }),
  item: LineSchema,
  title: 'BankLines',
  command: { usage: 'bank-statements lines', rows: 'lines' },
  read: async (deps, { state = 'open' }, { cursor, limit }) => {
    const after = cursor === null ? null : byDay.decode(cursor)
    const lines = await linesIn(deps.database, state, after, limit + 1)
    return byDay.pageOf(await matched(deps, lines), limit)
  },
  view: () => (line) => viewAs(LineSchema, describeBankLine(line)),
})
