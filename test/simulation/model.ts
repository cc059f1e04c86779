// What a user's money bought, told a second time and more simply: the rules of spec.md section 2 in a page that shares no
// code with src/domain. It knows the provider's takings and the order of their booking, and nothing of our tables.

/** Money that the provider took from a user. */
export interface Taking {
  readonly checkoutId: string
  readonly userId: string
  readonly plan: string
  readonly amount: number
  readonly method: string
  /** The provider's instant of payment, in milliseconds. */
  readonly paidAt: number
}

export interface BoughtMonth extends Taking {
  readonly start: number
  readonly end: number
}

export interface Access {
  readonly plan: string
  readonly status: string
  readonly currentPeriodEnd: number | null
  readonly paymentMethod: string | null
}

const GRACE_MS = 3 * 24 * 3_600_000
const WINDOW_MS = 7 * 24 * 3_600_000
/** Algeria has kept UTC+1 all year since 1981 (tz database, Africa/Algiers). */
const ALGIERS_MS = 3_600_000

/** The months that were bought, in the order of booking. */
export function monthsBought(takings: readonly Taking[]): readonly BoughtMonth[] {
  const months: BoughtMonth[] = []
  let anchor = 0
  let count = 0
  for (const taking of takings) {
    const last = months.at(-1)
    const follows = last !== undefined && taking.paidAt < last.end + GRACE_MS
    if (!follows) {
      anchor = taking.paidAt
      count = 0
    }
    months.push({ ...taking, start: addMonths(anchor, count), end: addMonths(anchor, count + 1) })
    count += 1
  }
  return months
}

export function accessAt(months: readonly BoughtMonth[], now: number): Access {
  const last = months.at(-1)
  if (!last) return { plan: 'free', status: 'active', currentPeriodEnd: null, paymentMethod: null }
  const rest = { currentPeriodEnd: last.end, paymentMethod: last.method }
  if (now >= last.end + GRACE_MS) return { plan: 'free', status: 'expired', ...rest }
  if (now >= last.end) return { plan: last.plan, status: 'past_due', ...rest }
  // Months of one run follow each other; those of an earlier run are over before the next one's begin to count.
  const runStart = months.findLastIndex(
    (month, index) => index === 0 || months[index - 1]?.end !== month.start,
  )
  const current = months.slice(runStart).find((month) => now < month.end) ?? last
  return { plan: current.plan, status: 'active', ...rest }
}

export function isRenewable(months: readonly BoughtMonth[], now: number): boolean {
  const last = months.at(-1)
  return !last || now >= last.end - WINDOW_MS
}

/** The instants around which something changes for this user: the window opens, the month ends, grace ends. */
export function boundariesOf(months: readonly BoughtMonth[]): readonly number[] {
  const last = months.at(-1)
  return last ? [last.end - WINDOW_MS, last.end, last.end + GRACE_MS] : []
}

/** The same day and time of the wall clock in Algiers, `count` months after the anchor; the month's last day at most. */
export function addMonths(anchor: number, count: number): number {
  const wall = new Date(anchor + ALGIERS_MS)
  const month = wall.getUTCMonth() + count
  const lastDay = new Date(Date.UTC(wall.getUTCFullYear(), month + 1, 0)).getUTCDate()
  const date = Date.UTC(wall.getUTCFullYear(), month, Math.min(wall.getUTCDate(), lastDay))
  return date + ((anchor + ALGIERS_MS) % 86_400_000) - ALGIERS_MS
}
