// A second, simpler implementation of the rules of spec.md section 2, which shares no code with core. It
// knows the provider's takings and the order in which they were booked, and nothing of the tables.

/** Money that the provider took from a user. */
export interface Taking {
  readonly checkoutId: string
  readonly userId: string
  readonly plan: string
  readonly months: number
  /** The price at the request. */
  readonly price: number
  /** The amount charged: the price, unless the payer or the provider changes it. */
  readonly amount: number
  readonly method: string
  /** The provider's instant of payment, in milliseconds. */
  readonly paidAt: number
  /** When the user first showed it: whether the run goes on. */
  readonly provedAt?: number | null
  /** It came without the provider. */
  readonly isOurs?: true
}

/** Days that the operator gave, or months by a code. */
export interface Gift extends Pick<Source, 'months' | 'days'> {
  readonly id: string
  /** That the months are of; of days, where the user never had another. */
  readonly plan: string
  readonly at: number
}

/** What happened to a user's time, in the order of booking. */
export type Entry =
  | { readonly kind: 'paid'; readonly taking: Taking }
  | { readonly kind: 'given'; readonly gift: Gift }
  | { readonly kind: 'refunded'; readonly checkoutId: string; readonly at: number }
  | { readonly kind: 'ended'; readonly at: number }

/** Time from one source: whole months, or days of 24 hours. */
interface Source {
  /** Of the checkout, or of the gift. */
  readonly id: string
  readonly plan: string
  readonly months: number
  readonly days: number
}

interface Piece extends Source {
  readonly start: number
  readonly end: number
}

/** The state of a user after all entries. */
export interface Standing {
  /** The time that each source gave; a refunded one keeps its time. */
  readonly pieces: readonly Piece[]
  /** Those of the current run, in order. */
  readonly run: readonly Piece[]
  readonly endedAt: number | null
  /** Of the last payment. */
  readonly method: string | null
}

export interface ExpectedAccess {
  readonly plan: string
  readonly status: string
  readonly currentPeriodEnd: number | null
  readonly instrument: string | null
}

const DAY_MS = 24 * 3_600_000
const GRACE_MS = 3 * DAY_MS
const WINDOW_MS = 7 * DAY_MS
/** Algeria has kept UTC+1 all year since 1981 (tz database, Africa/Algiers). */
const ALGIERS_MS = 3_600_000

export function standingAfter(entries: readonly Entry[]): Standing {
  const pieces = new Map<string, Piece>()
  let method: string | null = null
  let endedAt: number | null = null
  let anchor = 0
  let run: readonly Piece[] = []
  const place = (sources: readonly Source[]) => {
    run = laidOut(anchor, sources)
    for (const piece of run) pieces.set(piece.id, piece)
  }
  const add = (source: Source, at: number, shownAt = at) => {
    const last = run.at(-1)
    // Shown in time it goes on, unless all of it would be over when it is booked.
    const isInTime = last && endedAt === null && shownAt < last.end + GRACE_MS
    const end = laidOut(anchor, [...run, source]).at(-1)?.end ?? at
    const follows = isInTime && (end > at || at < last.end + GRACE_MS)
    if (!follows) anchor = at
    place(follows ? [...run, source] : [source])
    endedAt = null
  }
  for (const entry of entries) {
    if (entry.kind === 'ended') {
      endedAt = entry.at
    } else if (entry.kind === 'paid') {
      const { checkoutId, plan, months, paidAt, provedAt } = entry.taking
      add({ id: checkoutId, plan, months, days: 0 }, paidAt, Math.min(provedAt ?? paidAt, paidAt))
      method = entry.taking.method
    } else if (entry.kind === 'given') {
      const { at, ...gift } = entry.gift
      const had = gift.days > 0 ? run.at(-1)?.plan : undefined
      add({ ...gift, plan: had ?? gift.plan }, at)
    } else {
      const refunded = run.find(({ id }) => id === entry.checkoutId)
      // Time that is over was used; after an end none is left to refund.
      if (!refunded || endedAt !== null || refunded.end <= entry.at) continue
      const others = run.filter((piece) => piece !== refunded)
      const later = others.filter(({ start }) => start > refunded.start)
      const isRunning = refunded.start <= entry.at || others.length === 0
      if (isRunning && later.length === 0) endedAt = entry.at
      else if (isRunning) anchor = entry.at
      if (later.length > 0 || !isRunning) place(isRunning ? later : others)
    }
  }
  return { pieces: [...pieces.values()], run, endedAt, method }
}

/**
 * One after the other, each month counted from the anchor; the end of given days is the anchor of the months
 * after them.
 */
function laidOut(from: number, sources: readonly Source[]): readonly Piece[] {
  let [anchor, count] = [from, 0]
  return sources.map((source) => {
    const start = addMonths(anchor, count)
    if (source.days > 0) [anchor, count] = [start + source.days * DAY_MS, 0]
    else count += source.months
    return { ...source, start, end: addMonths(anchor, count) }
  })
}

export function accessAt({ run, endedAt, method }: Standing, now: number): ExpectedAccess {
  const last = run.at(-1)
  if (!last) return { plan: 'free', status: 'active', currentPeriodEnd: null, instrument: null }
  if (endedAt !== null)
    return { plan: 'free', status: 'canceled', currentPeriodEnd: endedAt, instrument: method }
  const rest = { currentPeriodEnd: last.end, instrument: method }
  if (now >= last.end + GRACE_MS) return { plan: 'free', status: 'expired', ...rest }
  if (now >= last.end) return { plan: last.plan, status: 'past_due', ...rest }
  const current = run.find(({ end }) => now < end) ?? last
  return { plan: current.plan, status: 'active', ...rest }
}

export function isRenewable({ run, endedAt }: Standing, now: number): boolean {
  const last = run.at(-1)
  return !last || endedAt !== null || now >= last.end - WINDOW_MS
}

/**
 * Whether so many months more may be bought, so that what is paid ahead ends within `most` months: from a
 * whole second on.
 */
export function mayBuyAhead(standing: Standing, now: number, months: number, most: number): boolean {
  if (isRenewable(standing, now)) return true
  const { run } = standing
  const more = { id: '', plan: '', months, days: 0 }
  const end = laidOut(run[0]?.start ?? now, [...run, more]).at(-1)?.end ?? now
  return now >= Math.ceil(addMonths(end, -most) / 1000) * 1000
}

/** The instants at which something changes for this user: the window opens, the month ends, grace ends. */
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
