// The inbox entries for events that do not reach the platform.
import type { InboxKind } from '../acts/inbox-kind.js'
import { addressOf, type View } from '../pages/console-frame.js'
import { codeInWords, failureInWords } from '../pages/console-words.js'
import { DISABLED_BECAUSE } from './event-history.sql.js'
import { EVENT_STUCK, EVENTS_OFF } from './inbox.sql.js'

export const EVENTS_INBOX: readonly InboxKind[] = [
  {
    name: 'events_off',
    place: 1,
    urgency: 'now',
    select: EVENTS_OFF,
    nextActs: ['event.resend_waiting'],
    detailIs: 'why',
    detail: (_pages, view, why) =>
      why === 'failing'
        ? view.say('addressFails')
        : view.say('addressOff', { why: disabledInWords(view, why) }),
    path: (base) => addressOf(base, 'health#deliveries'),
  },
  {
    name: 'event_stuck',
    place: 7,
    urgency: 'now',
    select: EVENT_STUCK,
    nextActs: ['event.resend'],
    detailIs: 'what failed',
    detail: (_pages, view, failure) => failureInWords(view, failure),
    path: (base, { id }) => `${addressOf(base, 'events', id)}/resend`,
  },
]

export function disabledInWords(view: Pick<View, 'say'>, because: string): string {
  const [code] = Object.entries(DISABLED_BECAUSE).find(([, text]) => text === because) ?? []
  return code === undefined ? because : codeInWords(view, 'disabled', code)
}
