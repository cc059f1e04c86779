// Corrections and payments out that wait for a second operator, in the inbox.
import type { InboxKind } from '../acts/inbox-kind.js'
import { addressOf } from '../pages/console-frame.js'
import { WAITING_ASKS } from './asks.sql.js'

export const ASKS_WAITING: readonly InboxKind[] = [
  {
    name: 'balance_ask',
    place: 9,
    urgency: 'soon',
    select: WAITING_ASKS,
    nextActs: ['balance.correct', 'balance.pay_out'],
    next: ({ id }) => id.split(' ', 1)[0] ?? '',
    detailIs: 'who asked for it',
    detail: (_pages, { say }, name) => say('askedBy', { name }),
    path: (base, { userId }) => addressOf(base, 'users', userId ?? ''),
  },
]
