// A bank statement as it stands now: its lines beside the transfers that are waited for.
import type { Static } from 'typebox'
import type { ActDeps } from '../acts/act.js'
import { type Candidate, type Match, matcherOf } from '../core/bank-match.js'
import { referencesInside } from '../core/bank-reference.js'
import { BillingError } from '../core/error.js'
import { DAY, toTimestamp } from '../core/instant.js'
import type { Operator } from '../core/role.js'
import { maybeOnePerson } from '../core/sign-in.js'
import type { Database } from '../database/database.js'
import { shortNumberOf } from '../runtime/secret.js'
import type { DecisionDeps } from '../transfers/decide.js'
import type { TransferTerms } from '../transfers/settings.js'
import { linesByReference, payableTransfers } from './bank-matches.sql.js'
import type { StatementSchema } from './bank-schemas.js'
import {
  findBankStatement,
  linesOfStatement,
  type StoredLine,
  type StoredStatement,
} from './bank-statements.sql.js'

export type BankDeps = ActDeps &
  DecisionDeps & { readonly database: Database; readonly transfers: TransferTerms | null }

/** Money that comes later than this after an order is found by its whole reference alone. */
const LOOKED_BACK_MS = 120 * DAY

export interface MatchedLine extends StoredLine {
  /** Null: it is decided. */
  readonly match: Match | null
}

/** Of lines of any statement. */
export async function matched(deps: BankDeps, lines: readonly StoredLine[]): Promise<readonly MatchedLine[]> {
  const { database, clock, wallClock } = deps
  const open = lines.filter(({ state }) => state === 'open')
  if (open.length === 0) return lines.map((line) => ({ ...line, match: null }))
  const now = clock.now()
  const whole = [...new Set(open.flatMap(({ references }) => references))]
  const references = [...new Set(open.flatMap(({ text }) => referencesInside(text)))]
  const of = { references, orderedSince: now - LOOKED_BACK_MS, dayOf: wallClock.dayAt }
  const [transfers, linesOf] = await Promise.all([
    payableTransfers(database, of),
    linesByReference(database, whole),
  ])
  const match = matcherOf({ transfers, linesOf, today: wallClock.dayAt(now) })
  return lines.map((line) => ({ ...line, match: line.state === 'open' ? match(line) : null }))
}

/** Throws `not_found`. */
export async function statementNamed({ database }: Pick<BankDeps, 'database'>, id: string) {
  const statement = await findBankStatement(database, id)
  if (!statement) throw new BillingError('not_found', { extra: { statement_id: id } })
  return statement
}

/** Throws `not_found`. */
export async function readStatement(deps: BankDeps, id: string) {
  const statement = await statementNamed(deps, id)
  const lines = await matched(deps, await linesOfStatement(deps.database, id))
  return { statement, lines }
}

export type ReadStatement = Awaited<ReturnType<typeof readStatement>>

/** A line that one confirmation approves, with the payment that it is for. */
export interface SureLine {
  readonly line: MatchedLine
  readonly candidate: Candidate
}

/** Those that are sure, and that this operator has not approved before. */
export function toApprove({ lines }: Pick<ReadStatement, 'lines'>, { name }: Operator): readonly SureLine[] {
  return lines.flatMap((line) => {
    const [candidate] = line.match?.kind === 'sure' ? line.match.candidates : []
    if (!candidate || candidate.transfer.approvedBy.some((by) => maybeOnePerson(by, name))) return []
    return [{ line, candidate }]
  })
}

/** Of what one confirmation would approve: another one where anything of it has changed. */
export function versionOf(sure: readonly SureLine[]): number {
  const pairs = sure.map(({ line, candidate }) => `${line.id} ${candidate.transfer.paymentId}`)
  return shortNumberOf(pairs.join('\n'))
}

export function viewSummary({ id, importedAt, importedBy, firstDay, lastDay, ...of }: StoredStatement) {
  return {
    statement_id: id,
    account: of.account,
    imported_at: toTimestamp(importedAt),
    imported_by: importedBy,
    first_day: firstDay,
    last_day: lastDay,
    lines: of.lines,
  }
}

export function viewLine(line: MatchedLine, statementId: string) {
  return {
    id: line.id,
    account: line.account,
    date: line.day,
    amount: line.centimes / 100,
    text: line.text,
    state: line.state,
    known: line.statementId !== statementId,
    payment_ids: [...line.paymentIds],
    decided_by: line.decidedBy,
    reason: line.reason,
    match: line.match && {
      kind: line.match.kind,
      candidates: line.match.candidates.map(viewCandidate),
    },
  }
}

function viewCandidate({ transfer, rule, differs }: Candidate) {
  return {
    payment_id: transfer.paymentId,
    user_id: transfer.userId,
    name: transfer.name,
    reference: transfer.reference,
    amount: transfer.amountAsked,
    why: rule,
    differs: [...differs],
    approved_by: [...transfer.approvedBy],
  }
}

/** All but a page of lines. */
export function viewStatement(read: ReadStatement, operator: Operator) {
  const { statement, lines } = read
  const sure = toApprove(read, operator)
  const matches = (kind: Match['kind']) => lines.filter(({ match }) => match?.kind === kind).length
  const inState = (state: StoredLine['state']) => lines.filter((line) => line.state === state).length
  return {
    ...viewSummary(statement),
    form: statement.form,
    counts: {
      new: lines.filter(({ statementId }) => statementId === statement.id).length,
      sure: matches('sure'),
      to_choose: matches('to_choose'),
      unknown: matches('unknown'),
      approved: inState('approved'),
      payout: inState('payout'),
      set_aside: inState('set_aside'),
    },
    to_approve: {
      count: sure.length,
      amount: sure.reduce((sum, { candidate }) => sum + candidate.transfer.amountAsked, 0),
    },
  } satisfies Omit<Static<typeof StatementSchema>, 'data' | 'next_cursor'>
}
