// A bank statement as it stands now: its lines beside the transfers that are waited for.
import type { Static } from 'typebox'
import type { ActDeps } from '../acts/act.js'
import { BillingError } from '../core/error.js'
import { DAY, toTimestamp } from '../core/instant.js'
import { maybeOnePerson, type Operator } from '../core/role.js'
import type { Database } from '../database/database.js'
import { shortNumberOf } from '../runtime/secret.js'
import type { DecisionDeps } from '../transfers/decide.js'
import type { TransferTerms } from '../transfers/settings.js'
import { type Candidate, type Match, matcherOf } from './bank-match.js'
import { knownOf, transfersNamed, waitingTransfers } from './bank-references.sql.js'
import type { StatementSchema } from './bank-schemas.js'
import {
  findBankStatement,
  type PlacedLine,
  SLICES_AT_ONCE,
  type StoredLine,
  type StoredStatement,
  slicesOfStatement,
  storeSlices,
} from './bank-statements.sql.js'
import { referencesInside } from './references-in-text.js'

export type BankDeps = ActDeps &
  DecisionDeps & { readonly database: Database; readonly transfers: TransferTerms | null }

/** Money that comes later than this after an order is found by its whole reference alone. */
const LOOKED_BACK_MS = 120 * DAY

/** `match` is null if the line is decided. */
type Matched<Line> = Line & { readonly match: Match | null }
export type MatchedLine = Matched<StoredLine>

/** So many lines of each kind are kept for a page. */
const SHOWN_OF_KIND = 100

/** The waiting transfers, looked up once; gives the matches of lines, a slice at a time. */
async function createMatcher({ database, clock, wallClock }: BankDeps) {
  const now = clock.now()
  const dayOf = (at: number) => wallClock.dayAt(at)
  const waiting = await waitingTransfers(database, { orderedSince: now - LOOKED_BACK_MS, dayOf })
  const matcher = matcherOf(waiting, dayOf(now))
  const isWaiting = new Set(waiting.map(({ reference }) => reference))
  return async <Line extends StoredLine>(lines: readonly Line[]): Promise<readonly Matched<Line>[]> => {
    const open = lines.filter(({ state }) => state === 'open')
    const whole = [...new Set(open.flatMap(({ references }) => references))]
    const inside = open.flatMap(({ text }) => referencesInside(text))
    const named = [...new Set([...whole, ...inside])].filter((reference) => !isWaiting.has(reference))
    const [others, known] = await Promise.all([
      named.length === 0 ? [] : transfersNamed(database, named, dayOf),
      whole.length + inside.length === 0 ? NOTHING_KNOWN : knownOf(database, [...whole, ...inside]),
    ])
    const match = matcher({ others, ...known })
    return lines.map((line) => ({ ...line, match: line.state === 'open' ? match(line) : null }))
  }
}

const NOTHING_KNOWN = { linesOf: new Map<string, number>(), returnedOn: new Map<string, string>() }

/** Lines of any statement. */
export async function matched<Line extends StoredLine>(
  deps: BankDeps,
  lines: readonly Line[],
): Promise<readonly Matched<Line>[]> {
  if (lines.every(({ state }) => state !== 'open')) return lines.map((line) => ({ ...line, match: null }))
  return (await createMatcher(deps))(lines)
}

/** Throws `not_found`. */
export async function statementNamed({ database }: Pick<BankDeps, 'database'>, id: string) {
  const statement = await findBankStatement(database, id)
  if (!statement) throw new BillingError('not_found', { extra: { statement_id: id } })
  return statement
}

/**
 * Reads all lines of a statement that is stored, in slices, and keeps what a page needs: all sure lines, the
 * first of those to choose, of those that are unknown and of those that went out again, how many there are of
 * each kind, and the lines of a page. Throws `not_found`.
 */
export async function readStatement(
  deps: BankDeps,
  id: string,
  page: { readonly after: number; readonly limit: number } = { after: 0, limit: 0 },
) {
  let statement = await statementNamed(deps, id)
  if (!isStored(statement)) {
    // A reader moves it on, so that it also ends where no jobs run.
    await storeSlices(deps.database, id, SLICES_AT_ONCE)
    statement = await statementNamed(deps, id)
  }
  const sure: MatchedLine[] = []
  const toChoose: MatchedLine[] = []
  const unknown: MatchedLine[] = []
  const returned: MatchedLine[] = []
  const onPage: Matched<PlacedLine>[] = []
  const counts = {
    ...{ new: 0, sure: 0, to_choose: 0, unknown: 0 },
    ...{ approved: 0, payout: 0, set_aside: 0, returned: 0 },
  }
  let free = 0
  const keep = (line: Matched<PlacedLine>) => {
    if (line.place > page.after && onPage.length < page.limit) onPage.push(line)
    if (line.statementId === id) counts.new += 1
    if (line.paymentIds.length === 0) free += 1
    const kind = line.match?.kind ?? (line.state === 'open' ? 'unknown' : line.state)
    counts[kind] += 1
    if (kind === 'sure') sure.push(line)
    const few =
      kind === 'to_choose' ? toChoose : kind === 'unknown' ? unknown : kind === 'returned' ? returned : []
    if (few.length < SHOWN_OF_KIND) few.push(line)
  }
  // Before all lines are there, what they are for cannot be decided.
  if (isStored(statement)) {
    const matchSlice = await createMatcher(deps)
    for await (const slice of slicesOfStatement(deps.database, id))
      for (const line of await matchSlice(slice)) keep(line)
  }
  return { ...{ statement, counts, free }, ...{ sure, toChoose, unknown, returned, onPage } }
}

/** Whether all lines of the file are stored: before that, what a line is for cannot be decided. */
export function isStored({ lines, storedLines }: StoredStatement): boolean {
  return storedLines === lines
}

export type ReadStatement = Awaited<ReturnType<typeof readStatement>>

/** A line that one confirmation approves, with the payment that it is for. */
export interface SureLine {
  readonly line: MatchedLine
  readonly candidate: Candidate
}

/** The sure lines that this operator has not approved before; none while lines are still being stored. */
export function toApprove(
  { statement, sure }: Pick<ReadStatement, 'statement' | 'sure'>,
  { name }: Operator,
): readonly SureLine[] {
  if (!isStored(statement)) return []
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

export function viewSummary({ id, importedAt, importedBy, firstDay, lastDay, ...of }: StoredStatement) {
  return {
    statement_id: id,
    account: of.account,
    imported_at: toTimestamp(importedAt),
    imported_by: importedBy,
    first_day: firstDay,
    last_day: lastDay,
    lines: of.lines,
    stored_lines: of.storedLines,
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
  const { statement, counts } = read
  const { form } = statement
  const sure = toApprove(read, operator)
  return {
    ...viewSummary(statement),
    form: {
      ...form,
      ...{ telling: [...form.telling], currency: [...form.currency], headings: [...form.headings] },
      debits: [...form.debits],
      ...{ rows: form.rows.map((row) => [...row]), left_out_rows: [...form.left_out_rows] },
    },
    counts,
    to_approve: {
      count: sure.length,
      amount: sure.reduce((sum, { candidate }) => sum + candidate.transfer.amountAsked, 0),
    },
  } satisfies Omit<Static<typeof StatementSchema>, 'data' | 'next_cursor'>
}
