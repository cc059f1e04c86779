// Counted drawers that wait for a second operator, in the inbox.
import type { InboxKind } from '../acts/inbox-kind.js'
import { addressOf } from '../pages/console-frame.js'
import { COUNTED } from './drawer.sql.js'

export const DRAWERS_WAITING: readonly InboxKind[] = [
  {
    name: 'drawer_counted',
    place: 11,
    urgency: 'later',
    select: COUNTED,
    nextActs: ['drawer.confirm'],
    detailIs: 'the day and who counted',
    detail: ({ formats, wallClock }, { say, locale }, detail) => {
      const [day = '', name = ''] = detail.split(/ (.*)/s)
      return say('drawerCountBy', { name, day: formats.day(wallClock.dayOf(day)?.from ?? 0, locale) })
    },
    path: (base, { id }) => addressOf(base, 'drawer', id),
  },
]
