// Which waiting transfer a line of a bank statement pays: by the reference in its text, else by amount, day
// and name; how sure that is, and why. Pure.

import { DAY } from '../core/instant.js'
import { LINE_DOUBTS, type LineDoubt } from './bank-line.js'
import { nearReferences, referencesInside } from './references-in-text.js'

/** Money that came to an account. */
export interface BankLine {
  readonly id: string
  /** `YYYY-MM-DD`. */
  readonly day: string
  readonly centimes: number
  readonly text: string
  /** Those that stand by themselves in the text: `wholeReferencesIn`. */
  readonly references: readonly string[]
  readonly doubts: readonly LineDoubt[]
}

/** A transfer that money may be for. */
export interface PayableTransfer {
  readonly paymentId: string
  readonly userId: string
  readonly name: string | null
  readonly reference: string
  /** Whole dinars. */
  readonly amountAsked: number
  /** `YYYY-MM-DD`. */
  readonly orderedOn: string
  /** `waiting`: also past its end. `given_up`: ended or refused; money counts still. */
  readonly state: 'waiting' | 'given_up' | 'booked'
  readonly approvedBy: readonly string[]
  /** The line that was said to pay it. */
  readonly lineId: string | null
}

export const MATCH_RULES = [
  ...(['reference', 'reference_inside', 'reference_near', 'sum_of_references'] as const),
  ...(['amount_day_name', 'amount_day'] as const),
] as const
type MatchRule = (typeof MATCH_RULES)[number]

/** What keeps a line and a transfer from fitting. `returned`: money went out again under the reference. */
export const MISFITS = [
  ...(['amount', 'before_order', 'in_future', 'given_up', 'booked'] as const),
  ...(['other_reference', 'other_line', 'returned'] as const),
  ...LINE_DOUBTS,
] as const
type Misfit = (typeof MISFITS)[number]

export interface Candidate {
  readonly transfer: PayableTransfer
  readonly rule: MatchRule
  readonly differs: readonly Misfit[]
}

export interface Match {
  readonly kind: 'sure' | 'to_choose' | 'unknown'
  /** Best first; of a sure one the only one. Of `sum_of_references` all together. */
  readonly candidates: readonly Candidate[]
}

/** What is known of the references that stand in some lines. */
export interface ReferenceFacts {
  /** The transfers of these references that are not waited for. */
  readonly others: readonly PayableTransfer[]
  /** Of each reference, in how many lines that are not decided it stands. */
  readonly linesOf: ReadonlyMap<string, number>
  /** Of each reference, the last day (`YYYY-MM-DD`) on which money went out under it. */
  readonly returnedOn: ReadonlyMap<string, string>
}

/** More than that is no help. */
const CANDIDATES_MAX = 5
/** So many transfers of one amount, without a name, are still a choice. */
const SAME_AMOUNT_MAX = 3
/** How long after the order the money of a line without a reference may come. */
const LATER_MAX = 30 * DAY

/**
 * Sorts the waiting transfers once; gives the match of a line by what is known of its references. `today` is
 * `YYYY-MM-DD`.
 */
export function matcherOf(
  waiting: readonly PayableTransfer[],
  today: string,
): (facts: ReferenceFacts) => (line: BankLine) => Match {
  const waitingBy = new Map(waiting.map((transfer) => [transfer.reference, transfer]))
  const near = nearReferences(waiting.map(({ reference }) => reference))
  const payableOn = payableBy(waiting)
  return ({ others, linesOf, returnedOn }) => {
    const otherBy = new Map(others.map((transfer) => [transfer.reference, transfer]))
    const named = (references: readonly string[]) =>
      references.flatMap((one) => waitingBy.get(one) ?? otherBy.get(one) ?? [])
    return (line) => {
      const whole = named(line.references)
      const inside = named(referencesInside(line.text)).filter((one) => !whole.includes(one))
      const alike = named(near(line.text)).filter((one) => !whole.includes(one) && !inside.includes(one))
      const meant = new Set([...line.references, ...[...inside, ...alike].map(({ reference }) => reference)])
      const candidate = (transfer: PayableTransfer, rule: MatchRule): Candidate => {
        const differs = differences(line, transfer, { today, isShared: rule === 'sum_of_references' })
        if (meant.size > 1 && rule !== 'sum_of_references') differs.push('other_reference')
        const own = line.references.includes(transfer.reference) ? 1 : 0
        const isElsewhere = transfer.lineId !== null && transfer.lineId !== line.id
        if (isElsewhere || (linesOf.get(transfer.reference) ?? 0) > own) differs.push('other_line')
        if ((returnedOn.get(transfer.reference) ?? '') >= line.day) differs.push('returned')
        return { transfer, rule, differs: [...differs, ...line.doubts] }
      }
      const [only] = whole
      if (whole.length > 1 && sumOf(whole) === line.centimes)
        return choice(whole.map((transfer) => candidate(transfer, 'sum_of_references')))
      const found = [
        ...whole.map((transfer) => candidate(transfer, 'reference')),
        ...inside.map((transfer) => candidate(transfer, 'reference_inside')),
        ...alike.map((transfer) => candidate(transfer, 'reference_near')),
      ]
      const [best, other] = found
      if (only && best && !other && best.differs.length === 0) return { kind: 'sure', candidates: found }
      if (found.length > 0) return choice(found)
      const ofDay = payableOn(line.day, line.centimes)
      const words = wordsIn(line.text)
      const ofName = ofDay.filter((one) => words.some((word) => one.words.has(word)))
      const few = ofDay.length > SAME_AMOUNT_MAX ? [] : ofDay
      const [rule, candidates] =
        ofName.length > 0 ? (['amount_day_name', ofName] as const) : (['amount_day', few] as const)
      return choice(candidates.slice(0, CANDIDATES_MAX).map(({ transfer }) => candidate(transfer, rule)))
    }
  }
}

function choice(candidates: readonly Candidate[]): Match {
  if (candidates.length === 0) return { kind: 'unknown', candidates }
  return { kind: 'to_choose', candidates: candidates.slice(0, CANDIDATES_MAX) }
}

const sumOf = (transfers: readonly PayableTransfer[]) =>
  transfers.reduce((sum, { amountAsked }) => sum + amountAsked * 100, 0)

function differences(
  line: BankLine,
  transfer: PayableTransfer,
  { today, isShared }: { readonly today: string; readonly isShared: boolean },
): Misfit[] {
  const differs: readonly (readonly [boolean, Misfit])[] = [
    [!isShared && line.centimes !== transfer.amountAsked * 100, 'amount'],
    [line.day < transfer.orderedOn, 'before_order'],
    [line.day > today, 'in_future'],
    [transfer.state === 'given_up', 'given_up'],
    [transfer.state === 'booked', 'booked'],
  ]
  return differs.flatMap(([differs, what]) => (differs ? [what] : []))
}

/** Finds the transfers that money of a day and amount may be for. Many lines share both: it looks once. */
function payableBy(waiting: readonly PayableTransfer[]) {
  const named = waiting.map((transfer) => ({ transfer, words: new Set(wordsIn(transfer.name ?? '')) }))
  const known = new Map<string, typeof named>()
  return (day: string, centimes: number): typeof named => {
    const first = new Date(Date.parse(day) - LATER_MAX).toISOString().slice(0, 10)
    const isPayable = ({ amountAsked, orderedOn }: PayableTransfer) =>
      amountAsked * 100 === centimes && orderedOn <= day && orderedOn >= first
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
