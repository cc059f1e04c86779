// Users by state, plan, method, end, balance, or by having had paid or granted time in a span.
import { type Static, Type } from 'typebox'
import { dayOrInstantSchema, isWithin, overlaps, readInstant, spanIn, type TimeSpan } from '../acts/day.js'
import { cursorOf, type PageRequest, pageOfList, type ReadPage } from '../acts/paging.js'
import { isTransferred } from '../core/account.js'
import { DAY, type Instant, LAST_INSTANT } from '../core/instant.js'
import { PUBLIC_METHODS, type PublicMethod, publicMethodOf } from '../core/payment.js'
import { type Subscription, statusAt } from '../core/subscription.js'
import type { CommonParts } from './parts.js'
import { readTimeLists } from './time-list.sql.js'
import { type ListedRow, type ListPart, listedUsers } from './user-list.sql.js'

export const USER_STATES = ['active', 'grace', 'expired', 'ended', 'never_paid'] as const
type UserState = (typeof USER_STATES)[number]

/** Lists of users and lists of payments both have these filters. */
export const timeFilter = {
  plan: Type.Optional(Type.String({ maxLength: 100, description: 'Only of this plan, now or last' })),
  method: Type.Optional(
    Type.Enum([...PUBLIC_METHODS], { description: 'Only those paid in this way; of users, the last time' }),
  ),
  ends_from: Type.Optional(dayOrInstantSchema('Only where paid time ends from here on')),
  ends_until: Type.Optional(dayOrInstantSchema('Only where it ends by here; a day counts whole')),
  active_from: Type.Optional(dayOrInstantSchema('Only with paid or granted time at some time from here on')),
  active_until: Type.Optional(dayOrInstantSchema('… and up to here; a day counts whole')),
}

export const UserFilterSchema = Type.Object({
  state: Type.Optional(
    Type.Enum([...USER_STATES], {
      description: '`ended`: by an operator; `never_paid`: never had paid or granted time',
    }),
  ),
  ...timeFilter,
  balance: Type.Optional(Type.Literal('open', { description: 'Only with money on their balance' })),
})

/** The filter of the platform's list. */
export const ChangedFilterSchema = Type.Object({
  state: UserFilterSchema.properties.state,
  plan: timeFilter.plan,
  changed_since: Type.Optional(
    dayOrInstantSchema('Only users whose row was written from here on, the oldest change first'),
  ),
})
type UserFilter = Static<typeof UserFilterSchema> & Static<typeof ChangedFilterSchema>

type UserListDeps = Pick<CommonParts, 'database' | 'clock' | 'rules' | 'wallClock'>

export type ListedUser = ListedRow & { readonly now: Subscription; readonly state: UserState }

/**
 * `over`: users whose time ended before this instant are in the second part. The cursor keeps the instant of
 * the first page, so that a user whose grace ends between two pages is listed once.
 */
const cursors = cursorOf({ part: 'number', at: 'number', userId: 'string', over: 'number' })

/** Throws `validation_failed` and `invalid_cursor`. */
export async function pageOfUsers(
  deps: UserListDeps,
  filter: UserFilter,
  { cursor, limit }: PageRequest,
): Promise<ReadPage<ListedUser>> {
  const { database, clock, rules, wallClock } = deps
  const now = clock.now()
  const after = cursor === null ? null : cursors.decode(cursor)
  const spans = { ends: spanIn(wallClock, filter, 'ends'), active: spanIn(wallClock, filter, 'active') }
  // Users whose time ended at this instant or later are in grace now.
  const grace = now - rules.graceDays * DAY + 1
  const over = after?.over ?? grace
  const { changed_since: since } = filter
  const parts: readonly ListPart[] =
    since === undefined
      ? partsOf(filter, spans, { now, grace, over })
      : [{ by: 'changed', from: readInstant(wallClock, 'changed_since', since), to: LAST_INSTANT }]
  const { items, last } = await pageOfList<ListedUser>({
    read: async (last, rows) =>
      (await listedUsers(database, parts, last ?? after, rows)).map((row) => listed(row, now, deps)),
    choose: isExact(filter) ? null : (users) => chosen(deps, users, filter, spans),
    limit,
  })
  return { items, nextCursor: last && cursors.encode({ ...last, over }) }
}

function listed(row: ListedRow, now: Instant, { rules }: UserListDeps): ListedUser {
  const subscription = statusAt(row.subscription, now, rules)
  return { ...row, now: subscription, state: stateOf(subscription) }
}

function stateOf({ status, currentPeriodEnd }: Subscription): UserState {
  if (status === 'canceled') return 'ended'
  if (status === 'expired') return 'expired'
  if (status === 'past_due') return 'grace'
  return currentPeriodEnd === null ? 'never_paid' : 'active'
}

interface Spans {
  readonly ends: TimeSpan | null
  readonly active: TimeSpan | null
}

const ALL_TIME: TimeSpan = { from: 0, to: LAST_INSTANT }
const NO_TIME: TimeSpan = { from: 0, to: 0 }

/**
 * Users who had time in a span have an end after its beginning, because neither a refund nor an operator ends
 * time in the past. A trial has no grace: `chosen` tells those in grace from those whose trial is over.
 */
function partsOf(
  { state, balance }: UserFilter,
  { ends, active }: Spans,
  { now, grace, over }: { readonly now: Instant; readonly grace: Instant; readonly over: Instant },
): readonly ListPart[] {
  if (balance !== undefined) return [{ by: 'balance', ...ALL_TIME }]
  const spans: Readonly<Record<UserState, TimeSpan>> = {
    active: { from: now + 1, to: LAST_INSTANT },
    grace: { from: grace, to: now + 1 },
    expired: { from: 0, to: now + 1 },
    ended: NO_TIME,
    never_paid: NO_TIME,
  }
  const asked = within(ALL_TIME, ends, active && { ...active, to: LAST_INSTANT })
  const byEnd = within(asked, state && spans[state])
  // Users who never had time have no end.
  const unpaid = ends || active ? NO_TIME : ALL_TIME
  const ifAsked = (one: UserState, span: TimeSpan) => (state === undefined || state === one ? span : NO_TIME)
  return [
    { by: 'end', ...within(byEnd, { from: over, to: LAST_INSTANT }) },
    { by: 'end', ...within(byEnd, { from: 0, to: over }) },
    { by: 'ended', ...ifAsked('ended', asked) },
    { by: 'unpaid', ...ifAsked('never_paid', unpaid) },
  ]
}

/** What all of these spans have in common. */
function within(...spans: readonly (TimeSpan | null | undefined)[]): TimeSpan {
  const given = spans.flatMap((span) => span ?? [])
  return { from: Math.max(...given.map(({ from }) => from)), to: Math.min(...given.map(({ to }) => to)) }
}

/** True if the parts alone decide who is listed. */
function isExact({ plan, method, balance, active_from, active_until, state, ...of }: UserFilter): boolean {
  const others = [plan, method, balance, active_from, active_until, of.changed_since && state]
  const isByEnd = state === undefined || state === 'active' || state === 'ended'
  return others.every((one) => one === undefined) && isByEnd
}

async function chosen(
  { database }: UserListDeps,
  users: readonly ListedUser[],
  { state, plan, method, balance }: UserFilter,
  { ends, active }: Spans,
): Promise<readonly ListedUser[]> {
  const fitting = users.filter(
    (user) =>
      (state === undefined || user.state === state) &&
      (plan === undefined || planIdOf(user) === plan) &&
      (method === undefined || methodOf(user) === method) &&
      (balance === undefined || (user.subscription.balance?.amount ?? 0) > 0) &&
      isWithin(ends, user.now.currentPeriodEnd),
  )
  if (active === null) return fitting
  const times = await readTimeLists(
    database,
    fitting.map(({ userId }) => userId),
  )
  return fitting.filter((_, index) =>
    times[index]?.some(({ by, start, end }) => by !== 'gap' && overlaps(active, start, end)),
  )
}

function planIdOf({ now }: ListedUser): string {
  return (now.endedPlan ?? now.plan).id
}

/** The method of the last payment; null: the user has only granted time, or none. */
function methodOf({ subscription: { instrument } }: ListedUser): PublicMethod | null {
  if (instrument === null) return null
  return isTransferred(instrument) ? 'transfer' : publicMethodOf(instrument)
}
