// Mail as a capability: it sends what other capabilities write.
import type { Capability } from '../acts/capability.js'
import type { InboxKind } from '../acts/inbox-kind.js'
import { DAY, HOUR, SECOND } from '../core/instant.js'
import type { ChangeDeps } from '../ledger/change-user.js'
import { addressOf } from '../pages/console-frame.js'
import { codeInWords, mailedInWords } from '../pages/console-words.js'
import { correctAddress } from './correct-address.js'
import { forgetMails, MAIL_FAILED, MAILS_FAILED } from './mail.sql.js'
import { type ResendDeps, resendReceipt } from './resend-receipt.js'
import { type SendMailDeps, sendDueMail } from './send-mail.js'
import { type MailConfig, mailSettings } from './settings.js'

/** Four at a time, half a second each: a round takes some 12 seconds. That is 300,000 a day. */
const MAILS_A_ROUND = 100

/** 240,000 a day, which is more than are written. */
const FORGOTTEN_A_ROUND = 10_000
/** Also for mail that was due while there was no mail server. */
const REMEMBERED = 90 * DAY

const MAIL_INBOX: readonly InboxKind[] = [
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

export const mail: Capability<SendMailDeps & ResendDeps & ChangeDeps, MailConfig> = {
  name: 'mail',
  settings: mailSettings,
  acts: [resendReceipt, correctAddress],
  inbox: MAIL_INBOX,
  jobs: (deps) => [
    {
      name: 'send-mail',
      stage: 'announce',
      everyMs: 10 * SECOND,
      run: (goesOn) => sendDueMail(deps, MAILS_A_ROUND, goesOn),
    },
    {
      name: 'forget-mail',
      stage: 'tidy',
      everyMs: HOUR,
      run: () => forgetMails(deps.database, deps.clock.now() - REMEMBERED, FORGOTTEN_A_ROUND),
    },
  ],
}
