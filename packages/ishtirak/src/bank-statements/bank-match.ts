// Which waiting transfer a line of a bank statement pays: by the reference in its text, else by amount, day
// and name; how sure that is, and why. Pure.
import { DAY } from '../core/instant.js'
import type { linesNaming, payableTransfers } from './bank-matches.sql.js'
import type { MatchRule, Misfit } from './bank-schemas.js'
import type { StoredLine } from './bank-statements.sql.js'
import { nearReferences, referencesInside } from './references-in-text.js'

export type BankLine = Pick<StoredLine, 'id' | 'day' | 'centimes' | 'text' | 'references' | 'doubts'>
export type PayableTransfer = Awaited<ReturnType<typeof payableTransfers>>[number]

export interface Candidate extends PayableTransfer {
  readonly why: MatchRule
  readonly differs: readonly Misfit[]
}

export interface Match {
  readonly kind: 'sure' | 'to_choose' | 'unknown'
  /** Best first; of a sure one the only one. */
  readonly candidates: readonly Candidate[]
}

type MatchFacts = Awaited<ReturnType<typeof linesNaming>> & {
  /** Transfers that are waited for, and transfers whose references stand in the lines. */
  readonly transfers: readonly PayableTransfer[]
  /** `YYYY-MM-DD`. */
  readonly today: string
}

/** A person can compare 5 candidates at a glance. */
const CANDIDATES_MAX = 5
/** More than 3 transfers of one amount, without a name, are no choice: none is offered. */
const SAME_AMOUNT_MAX = 3
/** Money without a reference is matched only with orders of the 30 days before it. */
const LATER_MAX = 30 * DAY

/** Sorts the transfers once, for all lines. */
export function matcherOf({ transfers, today, linesOf, returnedOn }: MatchFacts): (line: BankLine) => Match {
  const byReference = new Map(transfers.map((transfer) => [transfer.reference, transfer]))
  const waiting = [...byReference.values()].filter(({ state }) => state === 'waiting')
  const near = nearReferences(waiting.map(({ reference }) => reference))
  const payableOn = payableBy(waiting)
  const named = (references: readonly string[]) => references.flatMap((one) => byReference.get(one) ?? [])
  return (line) => {
    const whole = named(line.references)
    const inside = named(referencesInside(line.text)).filter((one) => !whole.includes(one))
    const alike = named(near(line.text)).filter((one) => !whole.includes(one) && !inside.includes(one))
    const meant = new Set([...line.references, ...[...inside, ...alike].map(({ reference }) => reference)])
    const candidate = (transfer: PayableTransfer, why: MatchRule): Candidate => {
      const { reference, state, line_id } = transfer
      const own = line.references.includes(reference) ? 1 : 0
      const misfits: readonly (readonly [what: Misfit, isSo: boolean])[] = [
        ['amount', line.centimes !== transfer.amount * 100],
        ['before_order', line.day < transfer.ordered_on],
        ['in_future', line.day > today],
        ['given_up', state === 'given_up'],
        ['booked', state === 'booked'],
        ['other_reference', meant.size > 1],
        ['other_line', (line_id ?? line.id) !== line.id || (linesOf.get(reference) ?? 0) > own],
        ['returned', (returnedOn.get(reference) ?? '') >= line.day],
      ]
      const differs = misfits.flatMap(([what, isSo]) => (isSo ? [what] : []))
      return { ...transfer, why, differs: [...differs, ...line.doubts] }
    }
    const found = [
      ...whole.map((transfer) => candidate(transfer, 'reference')),
      ...inside.map((transfer) => candidate(transfer, 'reference_inside')),
      ...alike.map((transfer) => candidate(transfer, 'reference_near')),
    ]
    const [best, other] = found
    if (best?.why === 'reference' && !other && best.differs.length === 0)
      return { kind: 'sure', candidates: found }
    if (found.length > 0) return choice(found)
    const ofDay = payableOn(line.day, line.centimes)
    const words = wordsIn(line.text)
    const ofName = ofDay.filter((one) => words.some((word) => one.words.has(word)))
    const few = ofDay.length > SAME_AMOUNT_MAX ? [] : ofDay
    const [why, candidates] =
      ofName.length > 0 ? (['amount_day_name', ofName] as const) : (['amount_day', few] as const)
    return choice(candidates.slice(0, CANDIDATES_MAX).map(({ transfer }) => candidate(transfer, why)))
  }
}

function choice(candidates: readonly Candidate[]): Match {
  if (candidates.length === 0) return { kind: 'unknown', candidates }
  return { kind: 'to_choose', candidates: candidates.slice(0, CANDIDATES_MAX) }
}

/** Finds the transfers that money of a day and amount may be for. Many lines share both: it looks once. */
function payableBy(waiting: readonly PayableTransfer[]) {
  const named = waiting.map((transfer) => ({ transfer, words: new Set(wordsIn(transfer.name ?? '')) }))
  const known = new Map<string, typeof named>()
  return (day: string, centimes: number): typeof named => {
    const first = new Date(Date.parse(day) - LATER_MAX).toISOString().slice(0, 10)
    const isPayable = ({ amount, ordered_on }: PayableTransfer) =>
      amount * 100 === centimes && ordered_on <= day && ordered_on >= first
    const found = known.get(`${day} ${centimes}`) ?? named.filter(({ transfer }) => isPayable(transfer))
    known.set(`${day} ${centimes}`, found)
    return found
  }
}

/** Long enough to name somebody, without accents. */
function wordsIn(text: string): readonly string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return plain.match(/\p{L}{3,}/gu) ?? []
}
