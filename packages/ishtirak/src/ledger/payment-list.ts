// Payments of all users, newest first, with the filters of the API, the console and the command line.
import { type Static, Type } from 'typebox'
import { dayOrInstantSchema, isWithin, overlaps, readInstant, spanIn } from '../acts/day.js'
import { cursorOf, type PageRequest, pageOfList, type ReadPage } from '../acts/paging.js'
import { type Payment, PUBLIC_PAYMENT_STATUSES } from '../core/payment.js'
import type { CommonParts } from './parts.js'
import { newestPayments } from './payment-list.sql.js'
import { UserIdSchema } from './schemas.js'
import { timeFilter } from './user-list.js'

export const PaymentFilterSchema = Type.Object({
  status: Type.Optional(
    Type.Enum([...PUBLIC_PAYMENT_STATUSES], { description: 'Only those of this status' }),
  ),
  ...timeFilter,
  paid_from: Type.Optional(dayOrInstantSchema('Only those paid from here on')),
  paid_until: Type.Optional(dayOrInstantSchema('Only those paid by here; a day counts whole')),
  user_id: Type.Optional(Type.String({ ...UserIdSchema, description: 'Only those of this user' })),
})

/** The filter of the platform's list. */
export const CreatedFilterSchema = Type.Object({
  status: PaymentFilterSchema.properties.status,
  created_from: Type.Optional(dayOrInstantSchema('Only those created from here on')),
})
export type PaymentFilter = Static<typeof PaymentFilterSchema> & Static<typeof CreatedFilterSchema>

export const paymentCursors = cursorOf({ createdAt: 'number', id: 'string' })

/** Throws `validation_failed` and `invalid_cursor`. */
export async function pageOfPayments(
  { database, clock, wallClock }: Pick<CommonParts, 'database' | 'clock' | 'wallClock'>,
  filter: PaymentFilter,
  { cursor, limit }: PageRequest,
): Promise<ReadPage<Payment>> {
  const { status = null, method = null, user_id: userId = null, plan, created_from: from } = filter
  const since = from === undefined ? null : readInstant(wallClock, 'created_from', from)
  const now = clock.now()
  const after = cursor === null ? null : paymentCursors.decode(cursor)
  const paid = spanIn(wallClock, filter, 'paid')
  const ends = spanIn(wallClock, filter, 'ends')
  const active = spanIn(wallClock, filter, 'active')
  const isOf = (payment: Payment) =>
    (plan === undefined || payment.plan?.id === plan) &&
    isWithin(paid, payment.paidAt) &&
    isWithin(ends, payment.periodEnd) &&
    (active === null || overlaps(active, payment.periodStart, payment.periodEnd))
  const { items, last } = await pageOfList<Payment>({
    read: (last, rows) =>
      newestPayments(database, { status, method, userId, since, after: last ?? after, limit: rows }, now),
    choose:
      plan === undefined && !paid && !ends && !active ? null : async (payments) => payments.filter(isOf),
    limit,
  })
  return { items, nextCursor: last && paymentCursors.encode(last) }
}
