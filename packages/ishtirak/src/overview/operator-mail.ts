// Tells operators by mail what entered the inbox: at most one mail in 15 minutes, however many processes
// there are, and none for what they had mail of. It has kinds and their numbers, no names and no amounts:
// mail is forwarded and stored.
import { createHash } from 'node:crypto'
import type { SendMailOptions } from 'nodemailer'
import { MINUTE } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { claimRound } from '../database/job-leases.js'
import { consoleSay } from '../i18n/console.js'
import type { SendMailDeps } from '../mail/send-mail.js'
import { DEFAULT_MAIL_COLOR, messageOf } from '../mail/write-mail.js'
import { codeInWords } from '../pages/console-words.js'
import { type Inbox, isMailed } from './inbox.sql.js'
import { type KnownEntry, markMailed, noteInbox, unmailedEntries } from './operator-mail.sql.js'

export interface OperatorMailDeps extends SendMailDeps {
  readonly inbox: Inbox
  /** Absent: operators get no mail. */
  readonly operatorMail?: { readonly to: readonly string[]; readonly locale: Locale }
}

const PAUSE_MS = 15 * MINUTE

/**
 * A job: gives how many entries it mailed. The row of the lease holds the pause, also where the sending
 * fails: those entries are tried again after it. After a crash in between they are mailed again, under the
 * same Message-ID.
 */
export async function mailOperators(deps: OperatorMailDeps): Promise<number> {
  const { mailer, operatorMail, database, clock, inbox } = deps
  if (!mailer || !operatorMail) return 0
  const now = clock.now()
  await noteInbox(database, inbox, now)
  const entries = await unmailedEntries(database)
  const pause = { now, nextRunAt: now + PAUSE_MS }
  if (entries.length === 0 || !(await claimRound(database, 'operator-mail', pause))) return 0
  const result = await mailer.send(writeOperatorMail(deps, operatorMail, entries))
  deps.count({ name: 'mail', outcome: result.kind })
  if (result.kind !== 'sent')
    deps.log.warn({ reason: result.reason }, `a mail to operators was ${result.kind}`)
  if (result.kind === 'failed') return 0
  await markMailed(database, entries)
  return entries.length
}

function writeOperatorMail(
  { publicUrl, seller: { identity, shop }, mailFrom, inbox }: OperatorMailDeps,
  { to, locale }: NonNullable<OperatorMailDeps['operatorMail']>,
  entries: readonly KnownEntry[],
): SendMailOptions {
  const say = consoleSay(locale)
  const name = identity.name[locale]
  const lines = inbox.kinds.filter(isMailed).flatMap(({ name: kind }) => {
    const count = entries.filter((entry) => entry.kind === kind).length
    return count === 0
      ? []
      : [say('mailLine', { kind: codeInWords({ say }, 'kind', kind), count: String(count) })]
  })
  const digest = createHash('sha256').update(JSON.stringify(entries)).digest('hex')
  return {
    messageId: `<inbox.${digest.slice(0, 32)}@${new URL(publicUrl).hostname}>`,
    from: { ...mailFrom(locale) },
    to: [...to],
    ...messageOf({
      ...{ locale, seller: name, color: shop.color ?? DEFAULT_MAIL_COLOR },
      subject: say('mailSubject', { count: String(entries.length) }),
      greeting: say('mailWhat'),
      paragraphs: [lines.join('\n'), say('mailPause')],
      ...{ button: say('mailButton'), url: `${publicUrl}/console` },
      ...{ footer: say('mailFooter'), contact: [name] },
    }),
  }
}
