// Mails operators what entered the inbox, and that the tax of sales ends soon: at most one mail in 15 minutes
// by all processes together, and each entry once. The mail names kinds and numbers, and no persons or
// amounts, because mail is forwarded and stored.
import { createHash } from 'node:crypto'
import { type Instant, MINUTE } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { taxEnd } from '../core/receipt.js'
import { claimRound } from '../database/job-leases.js'
import { consoleSay } from '../i18n/messages.js'
import type { CommonParts } from '../ledger/parts.js'
import type { SendMailDeps } from '../mail/send-mail.js'
import { composeMail, type MailMessage } from '../mail/write-mail.js'
import { codeInWords } from '../pages/console-words.js'
import type { ReadDeps } from './all-pages.js'
import { capitalized } from './inbox.route.js'
import { isMailed, type KnownEntry, markMailed, noteInbox, unmailedEntries } from './inbox.sql.js'
import type { OverviewConfig } from './settings.js'

export interface OperatorMailDeps
  extends SendMailDeps,
    OverviewConfig,
    Pick<ReadDeps & CommonParts, 'inbox' | 'formats' | 'wallClock'> {}

const PAUSE_MS = 15 * MINUTE

/**
 * A job; returns how many entries it mailed. The lease lasts as long as the pause, so a failed mail is tried
 * again after it. After a crash the entries are mailed again with the same Message-ID.
 */
export async function mailOperators(deps: OperatorMailDeps): Promise<number> {
  const { mailer, operatorMail, database, clock, inbox } = deps
  if (!mailer || !operatorMail) return 0
  const now = clock.now()
  const ending = taxEndingAt(deps, now)
  const beside = ending ? [{ kind: TAX_END, id: `${ending.until}/${ending.state}` }] : []
  await noteInbox(database, inbox, { now, beside })
  const entries = await unmailedEntries(database)
  const pause = { now, nextRunAt: now + PAUSE_MS }
  if (entries.length === 0 || !(await claimRound(database, 'operator-mail', pause))) return 0
  const result = await mailer.send(writeOperatorMail(deps, operatorMail, entries, ending))
  deps.count({ name: 'mail', outcome: result.kind })
  if (result.kind !== 'sent')
    deps.log.warn({ reason: result.reason }, `a mail to operators was ${result.kind}`)
  if (result.kind === 'failed') return 0
  await markMailed(database, entries)
  return entries.length
}

/** The kind of the entry about the tax in inbox_known. It is no kind of the inbox. */
const TAX_END = 'tax_end'

/** Undefined: the tax has no end date, or a late one. */
function taxEndingAt({ seller, wallClock }: OperatorMailDeps, now: Instant) {
  const end = taxEnd(seller.taxTerms, wallClock.dayAt(now))
  return end && end.state !== 'far' ? { until: end.until, state: end.state } : undefined
}

type Ending = NonNullable<ReturnType<typeof taxEndingAt>>

function writeOperatorMail(
  deps: OperatorMailDeps,
  { to, locale }: NonNullable<OverviewConfig['operatorMail']>,
  known: readonly KnownEntry[],
  ending: Ending | undefined,
): MailMessage {
  const { publicUrl, seller, inbox } = deps
  const say = consoleSay(locale)
  const entries = known.filter(({ kind }) => kind !== TAX_END)
  const ofTax = ending && entries.length < known.length ? taxInWords(deps, locale, ending) : []
  const isOfInbox = entries.length > 0
  const lines = inbox.kinds.filter(isMailed).flatMap(({ name: kind }) => {
    const count = entries.filter((entry) => entry.kind === kind).length
    return count === 0
      ? []
      : [say('mailLine', { kind: codeInWords({ say }, 'kind', kind), count: String(count) })]
  })
  const digest = createHash('sha256').update(JSON.stringify(known)).digest('hex')
  return composeMail(deps, locale, {
    ...{ id: `inbox.${digest.slice(0, 32)}`, to: [...to] },
    subject: isOfInbox ? say('mailSubject', { count: String(entries.length) }) : (ofTax[0] ?? ''),
    greeting: say(isOfInbox ? 'mailWhat' : 'mailSetting'),
    paragraphs: [...(isOfInbox ? [lines.join('\n')] : []), ...ofTax, say('mailPause')],
    ...(isOfInbox
      ? { button: say('mailButton'), url: `${publicUrl}/console` }
      : { button: say('mailHealth'), url: `${publicUrl}/console/health` }),
    ...{ footer: say('mailFooter'), contact: [seller.identity.name[locale]] },
  })
}

/** The texts of the page Health. */
function taxInWords({ formats, wallClock }: OperatorMailDeps, locale: Locale, { until, state }: Ending) {
  const say = consoleSay(locale)
  const code = state === 'near' ? 'tax_ends' : 'tax_ended'
  const day = formats.day(wallClock.dayOf(until)?.from ?? 0, locale)
  const what = say(`check_${code}`, { until: day })
  return [say('entryOf', { entry: say('subject_tax'), what }), `${capitalized(say(`remedy_${code}`))}.`]
}
