// A second implementation of the rules of paid time, plan changes and balances. It shares no code with core
// and knows no tables.
import { ceilingOf, differenceOf, floorOf, productOf, type Ratio, ratio, sumOf, sumOfAll } from './ratio.js'

/** Money that the provider took from a user, that came otherwise, or that the balance paid. */
export interface Taking {
  readonly checkoutId: string
  readonly userId: string
  readonly paymentId?: string
  readonly plan: string
  readonly months: number
  readonly single: number
  /** The price at the request. */
  readonly price: number
  /** The amount charged: the price, unless the payer or the provider changes it. */
  readonly amount: number
  readonly method: string
  /** The provider's instant of payment, in milliseconds. */
  readonly paidAt: number
  /** When the user first showed it: whether the run goes on. */
  readonly provedAt?: number | null
  readonly isOurs?: true
}

export interface Gift extends Pick<Source, 'id' | 'plan' | 'months' | 'days' | 'single'> {
  readonly at: number
  /** The price of a month of each plan that is sold then: days are of the plan that the user had last. */
  readonly sold: Readonly<Record<string, number>>
}

export interface Order {
  readonly plan: string
  readonly months: number
  readonly single: number
  readonly price: number
  /** What the catalogue asks instead; absent: the price that was agreed. */
  readonly offered?: number
}

export interface Quoted {
  readonly id: string
  readonly part: number
  /** The change that it had already; null: none. */
  readonly lastChange: string | null
  /** How many days it has, of days given one after the other. */
  readonly days?: number
}

/** What becomes of money that finds nothing to change: an entry of the balance, or time on the new plan. */
type Leftover = 'surplus' | 'time'

type Happened =
  | { readonly kind: 'paid'; readonly taking: Taking }
  | {
      readonly kind: 'changed'
      readonly taking: Taking
      readonly quoted: readonly Quoted[]
      readonly leaves: Leftover
      /** The payment that asked for it, if this one is paid beside it by mistake. */
      readonly secondOf: string | null
    }
  | { readonly kind: 'topped_up'; readonly taking: Taking }
  | { readonly kind: 'given'; readonly gift: Gift }
  | {
      readonly kind: 'refunded'
      readonly checkoutId: string
      readonly at: number
      readonly returned?: number
    }
  | { readonly kind: 'ended'; readonly at: number }
  | { readonly kind: 'ordered'; readonly order: Order | null; readonly at: number }
  /** The order was held against what was sold. */
  | { readonly kind: 'held'; readonly sold: Readonly<Record<string, Prices>> }
  | { readonly kind: 'corrected' | 'paid_out'; readonly amount: number; readonly at: number }

export type Entry = Happened & { readonly bookedAt: number }

/** Time from one source: whole months, days of 24 hours, or so many seconds as money was worth. */
interface Source {
  /** The id of the checkout, the gift or the renewal. */
  readonly id: string
  readonly plan: string
  readonly months: number
  readonly days: number
  readonly seconds: number
  /** How many months of its plan it counts for. */
  readonly units: Ratio
  readonly single: number
  /** What was paid for it, or what a gift counts as. */
  readonly worth: Ratio
  /** Each plan change starts from the plan of the one before. */
  readonly changes: readonly Change[]
}

type Change = { id: string; plan: string; single: number; at: number; amount: Ratio }

interface Piece extends Source {
  readonly start: number
  readonly end: number
}

export interface Line {
  readonly kind: 'top_up' | 'purchase' | 'renewal' | 'returned' | 'surplus' | 'correction' | 'paid_out'
  readonly amount: number
  readonly after: number
  readonly at: number
  readonly of: string | null
}

export interface Standing {
  /** The time that each source gave; a refunded one keeps its time. */
  readonly pieces: readonly Piece[]
  /** From when until when each change is: of what it changed, and of time that it bought instead. */
  readonly spans: ReadonlyMap<string, { readonly start: number; readonly end: number }>
  readonly run: readonly Piece[]
  readonly endedAt: number | null
  readonly method: string | null
  readonly order: Order | null
  readonly balance: number
  readonly lines: readonly Line[]
  /** Refunds of what a change still stood on. */
  readonly undermined: readonly string[]
}

export interface ExpectedAccess {
  readonly plan: string
  readonly status: string
  readonly currentPeriodEnd: number | null
  readonly instrument: string | null
}

const NO_MOVE = Number.NEGATIVE_INFINITY
const DAY_MS = 24 * 3_600_000
const GRACE_MS = 3 * DAY_MS
const WINDOW_MS = 7 * DAY_MS
/** Algeria has kept UTC+1 all year since 1981 (tz database, Africa/Algiers). */
const ALGIERS_MS = 3_600_000
/** As many days as a month counts for, where days have a price. */
const DAYS_OF_A_MONTH = 30

/** `now`: until when the standing order has bought. */
export function standingAfter(entries: readonly Entry[], now: number): Standing {
  const walk = new Walk()
  for (const entry of entries) {
    walk.until(entry.bookedAt)
    walk.take(entry)
  }
  walk.until(now)
  return walk.standing()
}

class Walk {
  readonly #pieces = new Map<string, Piece>()
  readonly #spans = new Map<string, { readonly start: number; readonly end: number }>()
  readonly #lines: Line[] = []
  readonly #undermined: string[] = []
  #run: readonly Piece[] = []
  #anchor = 0
  #endedAt: number | null = null
  #method: string | null = null
  #order: Order | null = null
  /** The last instant at which the balance or the order changed. */
  #movedAt = Number.NEGATIVE_INFINITY
  #looks: number[] = []
  #renewals = 0
  readonly #refunded = new Set<string>()
  /** What payments of changes found gone: it stays gone for a second one, which buys time for it. */
  readonly #gone = new Map<string, readonly Quoted[]>()

  standing(): Standing {
    return {
      pieces: [...this.#pieces.values()],
      spans: this.#spans,
      run: this.#run,
      endedAt: this.#endedAt,
      method: this.#method,
      order: this.#order,
      balance: this.#balance,
      lines: this.#lines,
      undermined: this.#undermined,
    }
  }

  /** Takes every look up to this instant; what is bought at one brings the next. */
  until(instant: number): void {
    for (;;) {
      const next = Math.min(...this.#looks)
      if (next > instant) return
      this.#looks = this.#looks.filter((at) => at > next)
      this.#look(next)
    }
  }

  take(entry: Entry): void {
    if (entry.kind === 'paid') this.#buy(entry.taking)
    else if (entry.kind === 'changed') this.#change(entry)
    else if (entry.kind === 'topped_up') this.#topUp(entry.taking)
    else if (entry.kind === 'given') this.#give(entry.gift)
    else if (entry.kind === 'held') this.#hold(entry.sold)
    else if (entry.kind === 'ended') this.#endedAt = entry.at
    else if (entry.kind === 'refunded') {
      this.#refund(entry.checkoutId, entry.at)
      this.#giveBack(entry.checkoutId, entry.at, entry.returned)
    } else if (entry.kind === 'ordered') {
      this.#order = entry.order
      this.#movedAt = Math.max(this.#movedAt, entry.at)
    } else this.#move(entry.kind === 'corrected' ? 'correction' : entry.kind, entry.amount, entry.at, null)
    this.#lookAgain()
  }

  get #balance(): number {
    return this.#lines.at(-1)?.after ?? 0
  }

  /** It can buy where the paid time ends, and where money comes or an order. */
  #lookAgain(): void {
    const instants = [this.#run.at(-1)?.end ?? this.#movedAt, this.#movedAt]
    this.#looks.push(...instants.filter(Number.isFinite))
  }

  #look(at: number): void {
    const order = this.#order
    const isOver = at >= (this.#run.at(-1)?.end ?? at) && this.#endedAt === null
    if (!order || !isOver || at < this.#movedAt || this.#balance < order.price) return
    const id = `renewal ${++this.#renewals}`
    this.#move('renewal', -order.price, at, id)
    this.#add(sourceOf({ ...order, id, paid: order.price }), at)
    this.#method = 'balance'
    this.#lookAgain()
  }

  /** It stands as it was agreed, from when it was agreed; what is sold no more ends it. */
  #hold(sold: Readonly<Record<string, Prices>>): void {
    if (!this.#order) return
    const { offered: _, ...agreed } = this.#order
    const price = sold[agreed.plan]?.[agreed.months]
    if (price === undefined) this.#order = null
    else this.#order = price === agreed.price ? agreed : { ...agreed, offered: price }
  }

  #move(kind: Line['kind'], amount: number, at: number, of: string | null): void {
    // Each line follows on the one before, also in time.
    this.#movedAt = Math.max(this.#movedAt, at)
    this.#lines.push({ kind, amount, after: this.#balance + amount, at: this.#movedAt, of })
  }

  /**
   * Shown while a run goes on, it counts from then, so that an order goes on with the run; but not if what
   * the order buys would be over when it is booked.
   */
  #topUp({ checkoutId, amount, paidAt, provedAt }: Taking): void {
    const shownAt = Math.min(provedAt ?? paidAt, paidAt)
    const last = this.#run.at(-1)
    const isWithinGrace = last && this.#endedAt === null && shownAt < last.end + GRACE_MS
    const isUsed =
      isWithinGrace && this.#orderedUntil(Math.max(shownAt, last.end, this.#movedAt), amount) <= paidAt
    this.#move('top_up', amount, isWithinGrace && !isUsed ? shownAt : paidAt, checkoutId)
  }

  /** Until when the order would buy time at this instant, with so much more money. */
  #orderedUntil(at: number, more: number): number {
    const order = this.#order
    if (!order || this.#balance + more < order.price) return Number.POSITIVE_INFINITY
    const source = sourceOf({ ...order, id: 'renewal', paid: order.price })
    const follows = at < (this.#run.at(-1)?.end ?? 0) + GRACE_MS
    const pieces = follows ? laidOut(this.#anchor, [...this.#run, source]) : laidOut(at, [source])
    return pieces.at(-1)?.end ?? at
  }

  #buy({ checkoutId: id, plan, months, single, amount: paid, paidAt, provedAt, method }: Taking): void {
    if (method === 'balance') this.#move('purchase', -paid, paidAt, id)
    this.#add(sourceOf({ id, plan, months, single, paid }), paidAt, Math.min(provedAt ?? paidAt, paidAt))
    this.#method = method
  }

  #give({ id, at, plan, months, days, single, sold }: Gift): void {
    const last = this.#run.at(-1)
    const had = last && planAt(last, last.end)
    const isOver = this.#endedAt !== null || at >= (last?.end ?? 0) + GRACE_MS
    const again = had && { ...had, single: (isOver ? sold[had.plan] : null) ?? had.single }
    const given = (days > 0 ? again : null) ?? { plan, single }
    const units = ratio(months * DAYS_OF_A_MONTH + days, DAYS_OF_A_MONTH)
    const worth = productOf(ratio(given.single), units)
    this.#add({ id, ...given, months, days, seconds: 0, units, worth, changes: [] }, at)
  }

  #add(source: Source, at: number, shownAt = at): void {
    const last = this.#run.at(-1)
    // Shown in time it goes on, unless all of it would be over when it is booked.
    const isWithinGrace = last && this.#endedAt === null && shownAt < last.end + GRACE_MS
    const end = laidOut(this.#anchor, [...this.#run, source]).at(-1)?.end ?? at
    const follows = isWithinGrace && (end > at || at < last.end + GRACE_MS)
    if (!follows) this.#anchor = at
    this.#place(follows ? [...this.#run, source] : [source])
    this.#endedAt = null
  }

  /** A refund moves at `movedAt` what has not begun; without one, a beginning stays. */
  #place(sources: readonly Source[], movedAt = NO_MOVE): void {
    this.#run = laidOut(this.#anchor, sources)
    for (const piece of this.#run) this.#pieces.set(piece.id, piece)
    const changes = new Map(this.#run.flatMap((piece) => piece.changes.map(({ id, at }) => [id, at])))
    for (const [id, at] of changes) {
      if (this.#refunded.has(id)) continue
      const own = this.#run.filter((one) => one.id === id || one.changes.some((change) => change.id === id))
      const begun = this.#spans.get(id)?.start ?? Number.POSITIVE_INFINITY
      const [next = at] = own.map((piece) => Math.max(piece.start, at))
      const start = begun <= movedAt ? begun : movedAt === NO_MOVE ? Math.min(begun, next) : next
      this.#spans.set(id, { start, end: Math.max(...own.map(({ end }) => end)) })
    }
    // What it changed is over; the time that it bought beside moves up with what follows.
    for (const piece of this.#run) {
      const span = this.#spans.get(piece.id)
      if (span && !changes.has(piece.id)) this.#spans.set(piece.id, { start: span.start, end: piece.end })
    }
  }

  /** What it was quoted for and is gone meanwhile, or was changed otherwise, leaves its part over. */
  #change({ taking, quoted, leaves, secondOf, bookedAt }: Entry & { kind: 'changed' }): void {
    const { checkoutId: id, plan, single, amount, paidAt, method } = taking
    const at = Math.min(paidAt, bookedAt)
    if (method === 'balance') this.#move('purchase', -amount, at, id)
    let left = amount
    const goneBefore = this.#gone.get(secondOf ?? '') ?? []
    const gone: Quoted[] = []
    for (const { part, ...stretch } of sharedOut(amount, quoted)) {
      const pieces = this.#stretch(stretch).filter(({ end }) => end > at)
      const isOver = this.#endedAt !== null || (pieces.at(-1)?.end ?? 0) <= bookedAt
      // Days that were over when a change came, or were given since, have it not; the stretch has.
      const last = pieces[0]?.changes.findLast((change) => !this.#refunded.has(change.id))
      const isAsQuoted = (last?.id ?? null) === stretch.lastChange
      const isGone = goneBefore.some((one) => one.id === stretch.id)
      if (isOver || !isAsQuoted || isGone) {
        gone.push({ ...stretch, part })
        continue
      }
      left -= part
      const lengths = pieces.map(({ start, end }) => end - Math.max(start, at))
      const length = lengths.reduce((sum, one) => sum + one, 0)
      const changed = pieces.map((piece, index): Piece => {
        const own = productOf(ratio(part), ratio(lengths[index] ?? 0, length))
        return { ...piece, changes: [...piece.changes, { id, plan, single, at, amount: own }] }
      })
      this.#place(this.#run.map((piece) => changed.find((one) => one.id === piece.id) ?? piece))
    }
    this.#gone.set(id, gone)
    this.#method = method
    if (left > 0 && leaves === 'surplus') this.#move('surplus', left, at, id)
    else if (left > 0) this.#add(this.#timeFor(left, taking, at), at)
  }

  /** Days that were given one after the other are one stretch, as long as it was when it was quoted. */
  #stretch({ id, days }: Pick<Quoted, 'id' | 'days'>): readonly Piece[] {
    const first = this.#run.findIndex((piece) => piece.id === id)
    const pieces = first < 0 ? [] : this.#run.slice(first)
    if (days === undefined) return pieces.slice(0, 1)
    let count = 0
    return pieces.filter((piece) => {
      count += piece.days
      return piece.days > 0 && count <= days
    })
  }

  /** Whole months, and of the next one the share that is paid, to the second that is begun. */
  #timeFor(amount: number, { checkoutId, plan, single }: Taking, at: number): Source {
    const last = this.#run.at(-1)
    const isWithinGrace = last && this.#endedAt === null && at < last.end + GRACE_MS
    const start = isWithinGrace ? last.end : at
    const months = Math.floor(amount / single)
    const [whole, next] = [addMonths(start, months), addMonths(start, months + 1)]
    const share = productOf(ratio(next - whole), ratio(amount - months * single, single))
    const seconds = ceilingOf(productOf(sumOf(ratio(whole - start), share), ratio(1, 1000)))
    const source = sourceOf({ id: checkoutId, plan, months: 0, single, paid: amount })
    return { ...source, seconds, units: ratio(amount, single) }
  }

  #refund(id: string, at: number): void {
    this.#refunded.add(id)
    this.#undo(id, at)
    const refunded = this.#run.find((piece) => piece.id === id)
    // Time that is over was used; after an end none is left to refund.
    if (!refunded || this.#endedAt !== null || refunded.end <= at) return
    if (refunded.changes.length > 0) this.#undermined.push(id)
    const others = this.#run.filter((piece) => piece !== refunded)
    const later = others.filter(({ start }) => start > refunded.start)
    const isRunning = refunded.start <= at || others.length === 0
    if (isRunning && later.length === 0) this.#endedAt = at
    else if (isRunning) this.#anchor = at
    if (later.length > 0 || !isRunning) this.#place(isRunning ? later : others, at)
  }

  /** What of it is on the balance already is not given twice. */
  #giveBack(id: string, at: number, returned: number | undefined): void {
    const isThere = ({ kind, of }: Line) => of === id && (kind === 'top_up' || kind === 'surplus')
    const there = this.#lines.filter(isThere).reduce((sum, { amount }) => sum + amount, 0)
    const amount = (returned ?? 0) - there
    if (amount !== 0) this.#move(amount > 0 ? 'returned' : 'paid_out', amount, at, id)
  }

  /** The plan before it runs to the same end. */
  #undo(id: string, at: number): void {
    if (this.#endedAt !== null) return
    const isLeft = ({ end, changes }: Piece) => end > at && changes.some((change) => change.id === id)
    const under = this.#run.filter(isLeft)
    if (under.some(({ changes }) => changes.at(-1)?.id !== id)) this.#undermined.push(id)
    const without = (piece: Piece): Piece =>
      under.includes(piece) ? { ...piece, changes: piece.changes.filter((one) => one.id !== id) } : piece
    this.#place(this.#run.map(without))
  }
}

function sourceOf(of: Pick<Source, 'id' | 'plan' | 'months' | 'single'> & { readonly paid: number }): Source {
  const { id, plan, months, single, paid } = of
  const units = ratio(months)
  return { id, plan, months, days: 0, seconds: 0, units, single, worth: ratio(paid), changes: [] }
}

/** One after the other. Months count from the anchor, which is the end of the last time not in months. */
function laidOut(from: number, sources: readonly Source[]): readonly Piece[] {
  let [anchor, count] = [from, 0]
  return sources.map((source) => {
    const start = addMonths(anchor, count)
    const exactly = source.days * DAY_MS + source.seconds * 1000
    if (exactly > 0) [anchor, count] = [start + exactly, 0]
    else count += source.months
    return { ...source, start, end: addMonths(anchor, count) }
  })
}

function planAt(piece: Source, instant: number): { readonly plan: string; readonly single: number } {
  const { plan, single } = piece.changes.findLast(({ at }) => at <= instant) ?? piece
  return { plan, single }
}

/** A plan as it is sold: the price of each term, that of one month among them. */
export type Prices = Readonly<Record<number, number>>

export interface ChangeCost {
  readonly price: number
  /** What is left of what was paid, rounded down. */
  readonly credit: number
  /** Of each piece, before rounding; days that were given are one stretch with those after them. */
  readonly of: ReadonlyMap<
    string,
    { readonly due: Ratio; readonly days: number; readonly lastChange: string | null }
  >
}

/** Undefined: no time runs, or none on a cheaper plan. Shares of time are to the second. */
export function costOfChange(
  { run, endedAt }: Standing,
  now: number,
  to: { readonly plan: string; readonly prices: Prices; readonly least: number },
): ChangeCost | undefined {
  const at = Math.floor(now / 1000) * 1000
  const single = to.prices[1] ?? 0
  const isCheaper = (piece: Piece) => {
    const before = planAt(piece, Math.max(now, piece.start))
    return before.plan !== to.plan && before.single < single
  }
  const left = endedAt === null ? run.filter(({ end }) => end > now) : []
  const [running] = left
  if (!running || !isCheaper(running)) return undefined
  const changed = left.filter(isCheaper)
  const of = new Map(
    changed.map((piece) => {
      const { months, units, days, id } = piece
      const term = to.prices[months]
      const whole = term === undefined ? productOf(ratio(single), units) : ratio(term)
      const due = differenceOf(productOf(whole, shareLeft(piece, at)), worthLeft(piece, at))
      return [id, { due, days, lastChange: piece.changes.at(-1)?.id ?? null }]
    }),
  )
  const difference = sumOfAll([...of.values()].map(({ due }) => due))
  const credit = floorOf(sumOfAll(changed.map((piece) => worthLeft(piece, at))))
  return { price: Math.max(to.least, ceilingOf(difference)), credit, of }
}

/** Of what was paid for a piece and for its changes, each over the time that it bought. */
function worthLeft(piece: Piece, at: number): Ratio {
  const ofChanges = piece.changes.map((change) => productOf(change.amount, shareLeft(piece, at, change.at)))
  return sumOfAll([productOf(piece.worth, shareLeft(piece, at)), ...ofChanges])
}

function shareLeft({ start, end }: Piece, at: number, since = start): Ratio {
  const from = Math.max(start, since)
  return ratio(end - Math.max(at, from), end - from)
}

/** What came, in whole dinars, shared out as the price was: other than the price by what was accepted. */
function sharedOut(amount: number, quoted: readonly Quoted[]): readonly Quoted[] {
  const asked = quoted.reduce((sum, { part }) => sum + part, 0)
  let [before, shared] = [0, 0]
  return quoted.map((stretch) => {
    before += stretch.part
    const upTo = floorOf(productOf(ratio(amount), ratio(before, asked)))
    const part = upTo - shared
    shared = upTo
    return { ...stretch, part }
  })
}

export function accessAt({ run, endedAt, method }: Standing, now: number): ExpectedAccess {
  const last = run.at(-1)
  if (!last) return { plan: 'free', status: 'active', currentPeriodEnd: null, instrument: null }
  if (endedAt !== null)
    return { plan: 'free', status: 'canceled', currentPeriodEnd: endedAt, instrument: method }
  const rest = { currentPeriodEnd: last.end, instrument: method }
  if (now >= last.end + GRACE_MS) return { plan: 'free', status: 'expired', ...rest }
  if (now >= last.end) return { plan: planAt(last, last.end).plan, status: 'past_due', ...rest }
  const current = run.find(({ end }) => now < end) ?? last
  return { plan: planAt(current, now).plan, status: 'active', ...rest }
}

export function isRenewable({ run, endedAt }: Standing, now: number): boolean {
  const last = run.at(-1)
  return !last || endedAt !== null || now >= last.end - WINDOW_MS
}

/** Whether what is paid ahead ends within `most` months with so many months more, to the whole second. */
export function mayBuyAhead(standing: Standing, now: number, months: number, most: number): boolean {
  if (isRenewable(standing, now)) return true
  const { run } = standing
  const more = sourceOf({ id: '', plan: '', months, single: 0, paid: 0 })
  const end = laidOut(run[0]?.start ?? now, [...run, more]).at(-1)?.end ?? now
  return now >= Math.ceil(addMonths(end, -most) / 1000) * 1000
}

export function boundariesOf({ run, endedAt }: Standing): readonly number[] {
  const last = run.at(-1)
  return last && endedAt === null ? [last.end - WINDOW_MS, last.end, last.end + GRACE_MS] : []
}

/** The same day and local time in Algiers, `count` months after the anchor; at most the month's last day. */
function addMonths(anchor: number, count: number): number {
  const wall = new Date(anchor + ALGIERS_MS)
  const month = wall.getUTCMonth() + count
  const lastDay = new Date(Date.UTC(wall.getUTCFullYear(), month + 1, 0)).getUTCDate()
  const date = Date.UTC(wall.getUTCFullYear(), month, Math.min(wall.getUTCDate(), lastDay))
  return date + ((anchor + ALGIERS_MS) % 86_400_000) - ALGIERS_MS
}
