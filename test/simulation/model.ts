// A second, simpler implementation of the rules of spec.md section 2, which shares no code with core. It knows the
// provider's takings and the order in which they were booked, and nothing of the tables.

/** Money that the provider took from a user. */
export interface Taking {
  readonly checkoutId: string
  readonly userId: string
  readonly plan: string
  /** The price at the request. */
  readonly price: number
  /** The amount charged: the price, unless the payer or the provider changes it. */
  readonly amount: number
  readonly method: string
  /** The provider's instant of payment, in milliseconds. */
  readonly paidAt: number
}

/** What happened to a user's money, in the order of booking. */
export type Entry =
  | { readonly kind: 'paid'; readonly taking: Taking }
  | { readonly kind: 'refunded'; readonly checkoutId: string; readonly at: number }
  | { readonly kind: 'ended'; readonly at: number }

interface BoughtMonth extends Taking {
  readonly start: number
  readonly end: number
}

/** The state of a user after all entries. */
export interface Standing {
  /** The month that each payment bought; a refunded one keeps its month. */
  readonly months: readonly BoughtMonth[]
  /** The months of the current run, in order. */
  readonly run: readonly BoughtMonth[]
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

const GRACE_MS = 3 * 24 * 3_600_000
const WINDOW_MS = 7 * 24 * 3_600_000
/** Algeria has kept UTC+1 all year since 1981 (tz database, Africa/Algiers). */
const ALGIERS_MS = 3_600_000

export function standingAfter(entries: readonly Entry[]): Standing {
  const months = new Map<string, BoughtMonth>()
  let method: string | null = null
  let endedAt: number | null = null
  let anchor = 0
  let run: readonly BoughtMonth[] = []
  const place = (takings: readonly Taking[]) => {
    run = takings.map((taking, index) => ({
      ...taking,
      start: addMonths(anchor, index),
      end: addMonths(anchor, index + 1),
    }))
    for (const month of run) months.set(month.checkoutId, month)
  }
  for (const entry of entries) {
    if (entry.kind === 'ended') {
      endedAt = entry.at
    } else if (entry.kind === 'paid') {
      const last = run.at(-1)
      const follows = last && endedAt === null && entry.taking.paidAt < last.end + GRACE_MS
      if (!follows) anchor = entry.taking.paidAt
      place(follows ? [...run, entry.taking] : [entry.taking])
      endedAt = null
      method = entry.taking.method
    } else {
      const refunded = run.find(({ checkoutId }) => checkoutId === entry.checkoutId)
      // A month that is over was used; after an end no months are left to refund.
      if (!refunded || endedAt !== null || refunded.end <= entry.at) continue
      const others = run.filter((month) => month !== refunded)
      const later = others.filter(({ start }) => start > refunded.start)
      const isRunning = refunded.start <= entry.at || others.length === 0
      if (isRunning && later.length === 0) endedAt = entry.at
      else if (isRunning) anchor = entry.at
      if (later.length > 0 || !isRunning) place(isRunning ? later : others)
    }
  }
  return { months: [...months.values()], run, endedAt, method }
}

export function accessAt({ run, endedAt, method }: Standing, now: number): ExpectedAccess {
  const last = run.at(-1)
  if (!last) return { plan: 'free', status: 'active', currentPeriodEnd: null, instrument: null }
  if (endedAt !== null)
    return { plan: 'free', status: 'canceled', currentPeriodEnd: endedAt, instrument: method }
  const rest = { currentPeriodEnd: last.end, instrument: method }
  if (now >= last.end + GRACE_MS) return { plan: 'free', status: 'expired', ...rest }
  if (now >= last.end) return { plan: last.plan, status: 'past_due', ...rest }
  const current = run.find((month) => now < month.end) ?? last
  return { plan: current.plan, status: 'active', ...rest }
}

export function isRenewable({ run, endedAt }: Standing, now: number): boolean {
  const last = run.at(-1)
  return !last || endedAt !== null || now >= last.end - WINDOW_MS
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
