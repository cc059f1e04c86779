// One message in the user's language: what is, and what to do. Every link leads to the portal, where the user can log in;
// never to a checkout, which expires in half an hour.
import { createHash } from 'node:crypto'
import { DAY, type Instant } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { isAboutPayment, type MailKind } from '../core/mail.js'
import type { Catalogue } from '../core/plan.js'
import { renewalAt } from '../core/renewal.js'
import { graceEndsAt, type Terms } from '../core/subscription.js'
import type { Formats } from '../i18n/formats.js'
import { type MessageKey, phoneInWords, planName, type Say, sayFor } from '../i18n/messages.js'
import { type PrintedReceipt, type ReceiptDeps, readReceipt } from '../receipts/receipt.js'
import type { Clock } from '../runtime/clock.js'
import type { ClaimedMail } from './mail.sql.js'
import { htmlOf, type MailWords } from './mail-html.js'
import type { MailAddress, MailMessage } from './mailer.js'

export interface WriteMailDeps extends ReceiptDeps {
  readonly clock: Clock
  readonly terms: Terms
  readonly catalogue: Catalogue
  readonly formats: Formats
  readonly publicUrl: string
  /** The address by which a user signs in to the portal, once. */
  readonly signInLink: (userId: string) => Promise<string>
  /** Who sends mail in this language. */
  readonly mailFrom: (locale: Locale) => MailAddress
}

export async function writeMail(deps: WriteMailDeps, owed: ClaimedMail): Promise<MailMessage> {
  const { email, name, locale: known } = owed.user
  const locale = known ?? 'ar'
  if (email === null) throw new Error('a mail without an address')
  const receipt = isAboutPayment(owed.kind)
    ? await readReceipt(deps, { userId: owed.userId, paymentId: owed.about, locale })
    : null
  const url = owed.kind === 'portal_link' ? await deps.signInLink(owed.userId) : `${deps.publicUrl}/portal`
  const words = wordsOf(deps, owed, { locale, receipt, url })
  return {
    messageId: messageIdOf(owed, new URL(deps.publicUrl).hostname),
    from: deps.mailFrom(locale),
    to: { name: name === null || isLinkLike(name) ? '' : name, address: email },
    subject: words.subject,
    text: textOf(words),
    html: htmlOf(words),
    language: locale,
    attachments: receipt ? [{ filename: `receipt-${receipt.number}.pdf`, pdf: receipt.pdf }] : [],
  }
}

function wordsOf(
  deps: WriteMailDeps,
  owed: ClaimedMail,
  of: { readonly locale: Locale; readonly receipt: PrintedReceipt | null; readonly url: string },
): MailWords {
  const { locale } = of
  const { identity, shop } = deps.receipts.seller
  const phone = phoneInWords(identity.phone, locale)
  const say = sayFor(identity, locale)
  const theme = owed.kind.startsWith('expiring') ? 'expiring' : owed.kind
  // The catalogue's test holds all of these keys.
  const key = (part: string) => `mail_${theme}_${part}` as MessageKey
  const data = dataOf(deps, owed, of)
  const { name } = owed.user
  return {
    locale,
    seller: identity.name[locale],
    color: shop.color,
    subject: plain(say(subjectKey(owed, deps.clock.now(), deps.formats) ?? key('subject'), data)),
    greeting: greet(say, name),
    paragraphs: [say(key('what'), data), say(key('next'), data)],
    button: say(BUTTONS[owed.kind] ?? 'mail_renewButton'),
    url: of.url,
    footer: say('mail_footer'),
    contact: [identity.name[locale], phone, identity.email],
  }
}

/** Users choose their names: one that a mail program would make a link of is left out of the mail. */
export function isLinkLike(name: string): boolean {
  return /[/\\:@]|\bwww\b|[\p{L}\p{N}][.\u3002\uff0e\uff61]\p{L}{2}/iu.test(name.normalize('NFKC'))
}

function greet(say: Say, name: string | null): string {
  return name === null || isLinkLike(name) ? say('mail_greetingUnnamed') : say('mail_greeting', { name })
}

/** What any of the sentences may name. */
function dataOf(
  { terms, catalogue, clock, formats }: WriteMailDeps,
  owed: ClaimedMail,
  { locale, receipt }: { readonly locale: Locale; readonly receipt: PrintedReceipt | null },
): Readonly<Record<string, string>> {
  const now = clock.now()
  const { subscription } = owed.user
  const end = receipt?.periodEnd ?? subscription.paidUntil ?? now
  const price = renewalAt(subscription, catalogue, now, terms)?.plan.price ?? 0
  const plan = receipt?.planName ?? subscription.months.at(-1)?.plan.name ?? ''
  return {
    plan: planName(plan, locale),
    end: formats.moment(end, locale),
    graceEnd: formats.moment(graceEndsAt(end, terms), locale),
    time: formats.timeLeft(end - now, locale),
    amount: formats.money(receipt?.amount ?? price, locale),
    number: receipt?.number ?? '',
  }
}

const BUTTONS: Readonly<Partial<Record<MailKind, MessageKey>>> = {
  receipt: 'openPortal',
  refunded: 'openPortal',
  portal_link: 'mail_linkButton',
}

/** A reminder of the last day names it; the others give the number of days left. */
function subjectKey({ kind, user }: ClaimedMail, now: Instant, { isoDay }: Formats): MessageKey | null {
  const { paidUntil } = user.subscription
  if (!kind.startsWith('expiring') || paidUntil === null) return null
  const days = (Date.parse(isoDay(paidUntil)) - Date.parse(isoDay(now))) / DAY
  if (days === 0) return 'mail_expiring_today_subject'
  return days === 1 ? 'mail_expiring_tomorrow_subject' : null
}

function textOf({ locale, greeting, paragraphs, button, url, footer, contact }: MailWords): string {
  const colon = locale === 'fr' ? '\u00a0:' : ':'
  const end = `-- \n${contact.join(' · ')}\n${footer}`
  return [greeting, ...paragraphs, `${button}${colon} ${url}`, end].join('\n\n')
}

/** Some programs draw the marks around isolated names as boxes in a subject. */
function plain(text: string): string {
  return text.replace(/[\u2066-\u2069]/g, '').replaceAll('\u00a0', ' ')
}

/**
 * The same for every attempt and every process. The user's id stays out of it: messages get forwarded. A link is asked for
 * again and again, and mailboxes drop a message whose id they have seen.
 */
function messageIdOf({ userId, kind, about, queuedAt }: ClaimedMail, host: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([userId, kind, kind === 'portal_link' ? queuedAt : about]))
    .digest('hex')
  return `<${kind}.${digest.slice(0, 32)}@${host}>`
}
