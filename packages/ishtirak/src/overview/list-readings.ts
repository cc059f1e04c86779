// What operators read of all users and payments: the lists, and the same as files.
import { CSV } from '../acts/descriptions.js'
import { reading } from '../acts/reading.js'
import { query } from '../http/schemas.js'
import { PaymentFilterSchema, pageOfPayments } from '../ledger/payment-list.js'
import { pageOfUsers, UserFilterSchema } from '../ledger/user-list.js'
import { type TrailDeps, TrailFilterSchema } from './audit-trail.js'
import {
  type ListFileDeps,
  PAYMENTS_EXPORT,
  sendPayments,
  sendTrail,
  sendUsers,
  TRAIL_EXPORT,
  USERS_EXPORT,
} from './list-files.js'
import {
  ListedUsersSchema,
  OperatorPaymentsQuerySchema,
  OperatorPaymentsSchema,
  UsersQuerySchema,
} from './schemas.js'
import { type ViewDeps, viewedNow, viewListedUser, viewOperatorPayment } from './views.js'

type ListDeps = ListFileDeps & ViewDeps & TrailDeps

const reads = reading<ListDeps>().reads

const users = reads({
  path: '/users',
  operationId: 'listUsers',
  summary: 'Users by state, plan, method, end, balance, and by when they had paid or granted time',
  description:
    'In the order of their ends; then those whose access was ended, then those who never had time. ' +
    'A page may have fewer than `limit` and go on.',
  query: UsersQuerySchema,
  answer: ListedUsersSchema,
  refuses: ['invalid_cursor'],
  command: { usage: 'users list', show: ({ data, ...rest }) => ({ users_listed: data, ...rest }) },
  read: async (deps, { query: { cursor = null, limit = 50, ...filter } }) => {
    const { items, nextCursor } = await pageOfUsers(deps, filter, { cursor, limit })
    return { data: items.map(viewListedUser), next_cursor: nextCursor }
  },
})

const payments = reads({
  path: '/payments',
  operationId: 'listAllPayments',
  summary: 'Payments of all users, newest first',
  query: OperatorPaymentsQuerySchema,
  answer: OperatorPaymentsSchema,
  refuses: ['invalid_cursor'],
  command: { usage: 'payments list', show: ({ data, ...rest }) => ({ payments: data, ...rest }) },
  read: async (deps, { query: { cursor = null, limit = 50, ...filter } }) => {
    const { items, nextCursor } = await pageOfPayments(deps, filter, { cursor, limit })
    const context = viewedNow(deps)
    return { data: items.map((payment) => viewOperatorPayment(payment, context)), next_cursor: nextCursor }
  },
})

const usersFile = reads({
  ...USERS_EXPORT,
  path: '/exports/users',
  operationId: 'exportUsers',
  summary: 'All users of a list, as CSV',
  query: query(UserFilterSchema.properties),
  answer: CSV,
  command: { usage: 'users export', isFile: true },
  read: (deps, { query: filter, operator, reply }) => sendUsers(deps, { filter, operator, reply }),
})

const paymentsFile = reads({
  ...PAYMENTS_EXPORT,
  path: '/exports/payments',
  operationId: 'exportPayments',
  summary: 'All payments of a list, as CSV',
  query: query(PaymentFilterSchema.properties),
  answer: CSV,
  command: { usage: 'payments export', isFile: true },
  read: (deps, { query: filter, operator, reply }) => sendPayments(deps, { filter, operator, reply }),
})

const trailFile = reads({
  ...TRAIL_EXPORT,
  path: '/exports/trail',
  operationId: 'exportTrail',
  summary: 'All of the trail that matches, newest first, as CSV',
  query: query(TrailFilterSchema.properties),
  answer: CSV,
  command: { usage: 'operators export-trail', isFile: true },
  read: (deps, { query: filter, operator, reply }) => sendTrail(deps, { filter, operator, reply }),
})

export const LIST_READINGS = [users, payments, usersFile, paymentsFile, trailFile]
