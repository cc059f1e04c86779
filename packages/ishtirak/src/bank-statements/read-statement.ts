// Reads a bank statement, its lines matched with the transfers that are waited for.
import type { ActDeps } from '../acts/act.js'
import { NO_USER, type Subject } from '../acts/subject.js'
import { BillingError } from '../core/error.js'
import { DAY } from '../core/instant.js'
import { mayBeOnePerson, type Operator } from '../core/role.js'
import type { Database } from '../database/database.js'
import type { DecisionDeps } from '../transfers/decide.js'
import type { TransferTerms } from '../transfers/settings.js'
import { type Match, matcherOf } from './bank-match.js'
import { linesNaming, payableTransfers } from './bank-matches.sql.js'
import { type LINE_KINDS, StatementParamsSchema } from './bank-schemas.js'
import { findBankStatement, linesOfStatement, type StoredLine } from './bank-statements.sql.js'
import { referencesInside } from './references-in-text.js'

export type BankDeps = ActDeps &
  DecisionDeps & { readonly database: Database; readonly transfers: TransferTerms | null }

/** Money that comes later than this after an order is found by its whole reference alone. */
const LOOKED_BACK_MS = 120 * DAY

/** `match` is null if the line is decided. */
export type MatchedLine = StoredLine & { readonly match: Match | null }

/** The lines may be of several statements. */
export async function matched(
  { database, clock, wallClock }: BankDeps,
  lines: readonly StoredLine[],
): Promise<readonly MatchedLine[]> {
  const open = lines.filter(({ state }) => state === 'open')
  if (open.length === 0) return lines.map((line) => ({ ...line, match: null }))
  const references = [...new Set(open.flatMap(({ text }) => referencesInside(text)))]
  const now = clock.now()
  const dayOf = (at: number) => wallClock.dayAt(at)
  const orderedSince = now - LOOKED_BACK_MS
  const transfers = await payableTransfers(database, { orderedSince, references, dayOf })
  const match = matcherOf({ transfers, today: dayOf(now), ...(await linesNaming(database, references)) })
  return lines.map((line) => ({ ...line, match: line.state === 'open' ? match(line) : null }))
}

/** Throws `not_found`. */
async function statementNamed({ database }: Pick<BankDeps, 'database'>, id: string) {
  const statement = await findBankStatement(database, id)
  if (!statement) throw new BillingError('not_found', { extra: { statement_id: id } })
  return statement
}

export const STATEMENT: Subject<BankDeps> = {
  name: 'statement',
  path: '/bank-statements/:statement_id',
  params: StatementParamsSchema,
  command: { group: 'bank-statements', argument: 'statement' },
  about: async (deps, id) => {
    const { first_day, last_day } = await statementNamed(deps, id)
    return { userId: NO_USER, label: () => `${first_day} – ${last_day}` }
  },
}

/** A statement with its lines in the order of the file. Throws `not_found`. */
export async function readStatement(deps: BankDeps, id: string) {
  const statement = await statementNamed(deps, id)
  const lines = await matched(deps, await linesOfStatement(deps.database, id))
  const of = (kind: LineKind) => lines.filter(({ match, state }) => (match?.kind ?? state) === kind)
  return { statement, lines, of, paying: lines.filter(({ payment_id }) => payment_id !== null).length }
}
type LineKind = (typeof LINE_KINDS)[number]
export type ReadStatement = Awaited<ReturnType<typeof readStatement>>

/** The sure lines that this operator has not approved before. */
export function toApprove({ of }: Pick<ReadStatement, 'of'>, { name }: Operator) {
  return of('sure').flatMap((line) => {
    const [candidate] = line.match?.candidates ?? []
    if (!candidate || candidate.approved_by.some((by) => mayBeOnePerson(by, name))) return []
    return [{ line, candidate }]
  })
}
/** A line that one confirmation approves, with the payment that it is for. */
export type SureLine = ReturnType<typeof toApprove>[number]

/** The dinars that were asked for in all. */
export function sumOf(sure: readonly SureLine[]): number {
  return sure.reduce((sum, { candidate }) => sum + candidate.amount, 0)
}

/** The line with the names of the API. Its amount is in centimes. */
export function describeBankLine(line: MatchedLine) {
  return { ...line, date: line.day, amount: line.centimes }
}
