// Failed mail in the inbox of operators.
import type { InboxKind } from '../acts/inbox-kind.js'
import { addressOf } from '../pages/console-frame.js'
import { codeInWords, mailedInWords } from '../pages/console-words.js'
import { MAIL_FAILED, MAILS_FAILED } from './inbox.sql.js'

export const MAIL_INBOX: readonly InboxKind[] = [
  {
    name: 'mail_failed',
    place: 8,
    urgency: 'later',
    select: MAIL_FAILED,
    nextActs: ['user.correct_address'],
    count: { sql: MAILS_FAILED, text: 'mailsFailed' },
    what: (view, detail) => codeInWords(view, 'mail', mailIn(detail).kind),
    detailIs: 'the kind of the newest and what failed',
    detail: (_pages, view, detail) => mailedInWords(view, mailIn(detail).outcome),
    path: (base, entry) => `${addressOf(base, 'users', entry.user_id ?? '')}/correct-address`,
  },
]

/** The query writes it as `receipt: refused: 550 no such user`. */
function mailIn(detail: string): { readonly kind: string; readonly outcome: string } {
  const [, kind = '', outcome = detail] = /^(\w+): (.*)$/s.exec(detail) ?? []
  return { kind, outcome }
}
