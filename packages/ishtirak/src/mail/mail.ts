// Mail as a capability: it sends what other capabilities write.
import type { Capability } from '../acts/capability.js'
import { DAY, HOUR, SECOND } from '../core/instant.js'
import type { ChangeDeps } from '../ledger/change-user.js'
import { correctAddress } from './correct-address.js'
import { MAIL_INBOX } from './inbox.js'
import { forgetMails } from './mail.sql.js'
import { type ResendDeps, resendReceipt } from './resend-receipt.js'
import { type SendMailDeps, sendDueMail } from './send-mail.js'
import { type MailConfig, mailSettings } from './settings.js'

/** Four at a time, half a second each: a round takes some 12 seconds. That is 300,000 a day. */
const MAILS_A_ROUND = 100

/** 240,000 a day, which is more than are written. */
const FORGOTTEN_A_ROUND = 10_000
/** Also for mail that was due while there was no mail server. */
const REMEMBERED = 90 * DAY

export const mail: Capability<SendMailDeps & ResendDeps & ChangeDeps, MailConfig> = {
  name: 'mail',
  settings: mailSettings,
  acts: [resendReceipt, correctAddress],
  inbox: MAIL_INBOX,
  jobs: (deps) => [
    // Receipts, and reminders before paid time ends.
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
