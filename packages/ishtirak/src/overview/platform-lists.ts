// The lists for the platform's key. A platform that lost its records restores them from here.
import { list } from '../acts/list.js'
import { toTimestamp } from '../core/instant.js'
import { listQuery } from '../events/schemas.js'
import { CreatedFilterSchema, pageOfPayments } from '../ledger/payment-list.js'
import { ChangedFilterSchema, type ListedUser, pageOfUsers } from '../ledger/user-list.js'
import type { ReadDeps } from './all-pages.js'
import { ChangedUserSchema, ListedPaymentSchema } from './schemas.js'
import { paymentViewForPlatform, viewListedUser } from './views.js'

const users = list<ReadDeps>()({
  path: '/users',
  operationId: 'listUsersForPlatform',
  summary: 'All users, or those of a state or a plan, or those that changed',
  description:
    'With `changed_since` the oldest change comes first, and a user who changes meanwhile may come twice. ' +
    'Begin the next reading a minute before the last `changed_at`, because a write that was still running ' +
    'may have an earlier one. Only a write is a change: time that ends by itself is none. A page may have ' +
    'fewer users than `limit` although more follow.',
  filter: ChangedFilterSchema,
  limit: listQuery.limit,
  item: ChangedUserSchema,
  title: 'UserPage',
  command: null,
  read: pageOfUsers,
  view: () => (user: ListedUser) => ({ ...viewListedUser(user), changed_at: toTimestamp(user.changedAt) }),
})

const payments = list<ReadDeps>()({
  path: '/payments',
  operationId: 'listPaymentsForPlatform',
  summary: 'Payments of all users, newest first',
  filter: CreatedFilterSchema,
  limit: listQuery.limit,
  item: ListedPaymentSchema,
  title: 'ListedPaymentPage',
  command: null,
  read: pageOfPayments,
  view: paymentViewForPlatform,
})

export const PLATFORM_LISTS = [...users.readings, ...payments.readings]
