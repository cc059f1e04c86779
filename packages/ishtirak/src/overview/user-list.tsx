// All users as a list: by API, by command, as a file and in the console.
import { accessInWords } from '../acts/changes.js'
import { list } from '../acts/list.js'
import type { FieldLabel, ListPage } from '../acts/list-page.js'
import { toTimestamp } from '../core/instant.js'
import { plainName } from '../core/name.js'
import { listQuery } from '../events/schemas.js'
import { planName } from '../i18n/messages.js'
import { ChangedFilterSchema, type ListedUser, pageOfUsers, UserFilterSchema } from '../ledger/user-list.js'
import { addressOf } from '../pages/console-frame.js'
import type { AllPages, ReadDeps } from './all-pages.js'
import { ChangedUserSchema, ListedUserSchema } from './schemas.js'
import { viewListedUser } from './views.js'

const COLUMNS = ['user_id', 'email', 'name', 'state', 'plan', 'ended_plan', 'current_period_end', 'balance']

export const userList = list<ReadDeps>()({
  path: '/users',
  operationId: 'listUsers',
  summary: 'Users by state, plan, method, end, balance, and by when they had paid or granted time',
  description:
    'Users who lose access soonest come first, then those whose time is over, those whose access an ' +
    'operator ended, and those who never had time. A page may have fewer users than `limit` although more ' +
    'follow.',
  filter: UserFilterSchema,
  item: ListedUserSchema,
  title: 'ListedUsers',
  command: { usage: 'users list', rows: 'users_listed', columns: COLUMNS },
  read: pageOfUsers,
  view: () => viewListedUser,
  file: {
    permission: { name: 'users.export', roles: ['accountant'] },
    path: '/exports/users',
    operationId: 'exportUsers',
    summary: 'All users of a list, as CSV',
    usage: 'users export-list',
    columns: [...COLUMNS, 'created_at'],
  },
})

/** For the platform's key: a platform that lost its records restores them from here. */
export const platformUserList = list<ReadDeps>()({
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

/** The list of payments has these fields too. */
export const TIME_FIELDS: Readonly<Record<string, FieldLabel>> = {
  plan: [
    'plan',
    ({ catalogue }, { locale }) => catalogue.plans.map(({ id, name }) => [id, planName(name, locale)]),
  ],
  method: 'method',
  active_from: 'active_from',
  active_until: 'active_until',
  ends_from: 'ends_from',
  ends_until: 'ends_until',
}

export const usersPage: ListPage<AllPages, ListedUser> = {
  path: 'users',
  title: 'users',
  list: userList,
  fields: { state: 'userState', ...TIME_FIELDS, balance: 'userBalance' },
  shown: 25,
  columns: [
    {
      head: 'user',
      link: ({ userId, name, email }, _, { base }) => ({
        href: addressOf(base, 'users', userId),
        text: plainName(name ?? email ?? userId),
        under: [name && email, userId].filter((one) => one !== null).join(' · '),
      }),
    },
    { head: 'userState', text: ({ state }, { say }) => say(`state_${state}`) },
    { head: 'access', text: ({ now }, view, pages) => accessInWords(pages, view, now) },
  ],
  bulk: 'user',
}
