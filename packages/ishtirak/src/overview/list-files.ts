// The lists of users and of payments as files: all that match, page by page, with a line in the audit trail.
import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import type { AuditDeps } from '../acts/audit.sql.js'
import type { CsvCell } from '../acts/csv.js'
import { type AskedFile, FILE_ROWS, sendList } from '../acts/list-file.js'
import { timestampOrNull, toTimestamp } from '../core/instant.js'
import { kindOf, type Payment, publicStatusAt } from '../core/payment.js'
import type { Permission } from '../core/role.js'
import { type PaymentFilter, type PaymentListDeps, pageOfPayments } from '../ledger/payment-list.js'
import { type ListedUser, pageOfUsers, type UserFilter, type UserListDeps } from '../ledger/user-list.js'
import { readTrail, TRAIL_HEADS, type TrailDeps, type TrailFilterSchema, trailCells } from './audit-trail.js'
import { viewListedUser } from './views.js'

export const USERS_EXPORT = { name: 'users.export', roles: ['accountant'] } as const satisfies Permission
export const PAYMENTS_EXPORT = {
  name: 'payments.export',
  roles: ['accountant'],
} as const satisfies Permission

export const TRAIL_EXPORT = { name: 'trail.export', roles: ['accountant'] } as const satisfies Permission

export type ListFileDeps = UserListDeps & PaymentListDeps & AuditDeps

/** Throws `role_not_allowed`, and `validation_failed` before anything is sent. */
export function sendUsers(deps: ListFileDeps, asked: AskedFile<UserFilter>): Promise<FastifyReply> {
  const heads = ['user_id', 'email', 'name', 'state', 'plan', 'ended_plan', 'current_period_end']
  return sendList(deps, asked, {
    permission: USERS_EXPORT,
    name: 'users',
    heads: [...heads, 'balance', 'created_at'],
    cells: userCells,
    page: (cursor) => pageOfUsers(deps, asked.filter, { cursor, limit: FILE_ROWS }),
  })
}

/** Throws the same. */
export function sendPayments(deps: ListFileDeps, asked: AskedFile<PaymentFilter>): Promise<FastifyReply> {
  const now = deps.clock.now()
  const bought = ['payment_id', 'user_id', 'kind', 'plan', 'months', 'amount', 'currency', 'status', 'method']
  return sendList(deps, asked, {
    permission: PAYMENTS_EXPORT,
    name: 'payments',
    heads: [
      ...bought,
      'payment_method',
      'created_at',
      'paid_at',
      'period_start',
      'period_end',
      'checkout_id',
      'bought_by',
    ],
    cells: (payment: Payment) => paymentCells(payment, publicStatusAt(payment, now)),
    page: (cursor) => pageOfPayments(deps, asked.filter, { cursor, limit: FILE_ROWS }),
  })
}

/** What operators did, by whatever it is asked for. Throws the same. */
export function sendTrail(
  deps: ListFileDeps & TrailDeps,
  asked: AskedFile<Static<typeof TrailFilterSchema>>,
): Promise<FastifyReply> {
  return sendList(deps, asked, {
    permission: TRAIL_EXPORT,
    name: 'trail',
    heads: TRAIL_HEADS,
    cells: trailCells,
    page: async (cursor) => {
      const page = { ...asked.filter, ...(cursor !== null && { cursor }), limit: FILE_ROWS }
      const { data, next_cursor: nextCursor } = await readTrail(deps, page)
      return { items: data, nextCursor }
    },
  })
}

function userCells(user: ListedUser): readonly CsvCell[] {
  const { user_id, email, name, state, plan, ended_plan, current_period_end, balance, created_at } =
    viewListedUser(user)
  return [user_id, email, name, state, plan, ended_plan, current_period_end, balance, created_at]
}

function paymentCells(payment: Payment, status: string): readonly CsvCell[] {
  const { id, userId, kind, plan, months, price, method, instrument, checkoutId, boughtBy } = payment
  const bought = [id, userId, kind, plan?.id ?? null, months, price.amount, price.currency]
  return [
    ...bought,
    ...[status, kindOf(method), instrument, toTimestamp(payment.createdAt), timestampOrNull(payment.paidAt)],
    ...[timestampOrNull(payment.periodStart), timestampOrNull(payment.periodEnd), checkoutId, boughtBy],
  ]
}
