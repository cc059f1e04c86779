// A bank statement as it stands now: its lines beside the transfers that are waited for.
import type { Static } from 'typebox'
import type { ActDeps } from '../acts/act.js'
import { NO_USER, type Subject } from '../acts/subject.js'
import { BillingError } from '../core/error.js'
import { DAY, toTimestamp } from '../core/instant.js'
import { maybeOnePerson, type Operator } from '../core/role.js'
import type { Database } from '../database/database.js'
import { viewAs } from '../http/view-as.js'
import { shortNumberOf } from '../runtime/secret.js'
import type { DecisionDeps } from '../transfers/decide.js'
import type { TransferTerms } from '../transfers/settings.js'
import { type Candidate, type Match, matcherOf } from './bank-match.js'
import { knownOf, transfersNamed, waitingTransfers } from './bank-references.sql.js'
import { LineSchema, StatementParamsSchema, type StatementSchema } from './bank-schemas.js'
import {
  findBankStatement,
  linesOfStatement,
  type StoredLine,
  type StoredStatement,
} from './bank-statements.sql.js'
import { referencesInside } from './references-in-text.js'

export type BankDeps = ActDeps &
  DecisionDeps & { readonly database: Database; readonly transfers: TransferTerms | null }

/** Money that comes later than this after an order is found by its whole reference alone. */
const LOOKED_BACK_MS = 120 * DAY

/** `match` is null if the line is decided. */
type Matched<Line> = Line & { readonly match: Match | null }
export type MatchedLine = Matched<StoredLine>

/** Lines of any statement, with the transfers that they may be for. */
export async function matched<Line extends StoredLine>(
  { database, clock, wallClock }: BankDeps,
  lines: readonly Line[],
): Promise<readonly Matched<Line>[]> {
  const open = lines.filter(({ state }) => state === 'open')
  if (open.length === 0) return lines.map((line) => ({ ...line, match: null }))
  const now = clock.now()
  const dayOf = (at: number) => wallClock.dayAt(at)
  const waiting = await waitingTransfers(database, { orderedSince: now - LOOKED_BACK_MS, dayOf })
  const isWaiting = new Set(waiting.map(({ reference }) => reference))
  const named = [
    ...new Set(open.flatMap(({ references, text }) => [...references, ...referencesInside(text)])),
  ]
  const others = named.filter((reference) => !isWaiting.has(reference))
  const match = matcherOf(
    waiting,
    dayOf(now),
  )({
    others: others.length === 0 ? [] : await transfersNamed(database, others, dayOf),
    ...(named.length === 0 ? NOTHING_KNOWN : await knownOf(database, named)),
  })
  return lines.map((line) => ({ ...line, match: line.state === 'open' ? match(line) : null }))
}

const NOTHING_KNOWN = { linesOf: new Map<string, number>(), returnedOn: new Map<string, string>() }

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
    const { firstDay, lastDay } = await statementNamed(deps, id)
    return { userId: NO_USER, label: () => `${firstDay} – ${lastDay}` }
  },
}

/** A statement with its lines, in the order of the file and of each kind. Throws `not_found`. */
export async function readStatement(deps: BankDeps, id: string) {
  const statement = await statementNamed(deps, id)
  const lines = await matched(deps, await linesOfStatement(deps.database, id))
  const of = (kind: LineKind) => lines.filter((line) => kindOf(line) === kind)
  const [sure, toChoose, unknown, returned] = [of('sure'), of('to_choose'), of('unknown'), of('returned')]
  const counts = {
    new: lines.filter(({ statementId }) => statementId === id).length,
    ...{ sure: sure.length, to_choose: toChoose.length, unknown: unknown.length, returned: returned.length },
    ...{ approved: of('approved').length, payout: of('payout').length, set_aside: of('set_aside').length },
  }
  const free = lines.filter(({ paymentIds }) => paymentIds.length === 0).length
  return { statement, lines, counts, free, sure, toChoose, unknown, returned }
}

const kindOf = ({ match, state }: MatchedLine) => match?.kind ?? state
type LineKind = ReturnType<typeof kindOf>

export type ReadStatement = Awaited<ReturnType<typeof readStatement>>

/** A line that one confirmation approves, with the payment that it is for. */
export interface SureLine {
  readonly line: MatchedLine
  readonly candidate: Candidate
}

/** The sure lines that this operator has not approved before. */
export function toApprove({ sure }: Pick<ReadStatement, 'sure'>, { name }: Operator): readonly SureLine[] {
  return sure.flatMap((line) => {
    const [candidate] = line.match?.candidates ?? []
    if (!candidate || candidate.transfer.approvedBy.some((by) => maybeOnePerson(by, name))) return []
    return [{ line, candidate }]
  })
}

/** Of what one confirmation would approve: another one where anything of it has changed. */
export function versionOf(sure: readonly SureLine[]): number {
  const pairs = sure.map(({ line, candidate }) => `${line.id} ${candidate.transfer.paymentId}`)
  return shortNumberOf(pairs.join('\n'))
}

export function viewSummary({
  id,
  importedAt,
  importedBy,
  firstDay,
  lastDay,
  account,
  lines,
}: StoredStatement) {
  return {
    ...{ statement_id: id, account, imported_at: toTimestamp(importedAt), imported_by: importedBy },
    ...{ first_day: firstDay, last_day: lastDay, lines },
  }
}

export function viewLine(line: MatchedLine, statementId: string) {
  const { day: date, centimes: amount, paymentIds: payment_ids, decidedBy: decided_by, match } = line
  return viewAs(LineSchema, {
    ...{ ...line, date, amount, payment_ids, decided_by, known: line.statementId !== statementId },
    match: match && { kind: match.kind, candidates: match.candidates.map(viewCandidate) },
  })
}

function viewCandidate({ transfer, rule: why, differs }: Candidate) {
  const { paymentId, userId, name, reference, amountAsked: amount, approvedBy: approved_by } = transfer
  return { payment_id: paymentId, user_id: userId, name, reference, amount, why, differs, approved_by }
}

/** All but a page of lines. */
export function viewStatement(read: ReadStatement, operator: Operator) {
  const sure = toApprove(read, operator)
  const amount = sure.reduce((sum, { candidate }) => sum + candidate.transfer.amountAsked, 0)
  return {
    ...viewSummary(read.statement),
    ...{ form: read.statement.form, counts: read.counts, to_approve: { count: sure.length, amount } },
  } satisfies Omit<Static<typeof StatementSchema>, 'data' | 'next_cursor'>
}
