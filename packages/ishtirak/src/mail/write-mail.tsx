// One message in the user's language: what is, and what to do. Every link leads to the portal, where the user can log in;
// never to a checkout, which expires in half an hour.
import { createHash } from 'node:crypto'
import { escapeHtml } from '@kitajs/html'
import type { SendMailOptions } from 'nodemailer'
import { isAboutPayment, isAboutTransfer, type MailKind } from '../core/announcement.js'
import { DAY, type Instant } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import type { Catalogue, Offer } from '../core/plan.js'
import { renewalOffers } from '../core/quote.js'
import { totalOf } from '../core/receipt.js'
import { type BillingRules, graceEndsAt } from '../core/subscription.js'
import { type Formats, termInWords } from '../i18n/formats.js'
import {
  directionOf,
  isMessageKey,
  type MessageKey,
  phoneInWords,
  planName,
  sayFor,
} from '../i18n/messages.js'
import { findGrant, type KeptGrant } from '../ledger/grants.sql.js'
import { type Receipt, type ReceiptDeps, readReceipt } from '../receipts/receipt.js'
import type { Clock } from '../runtime/clock.js'
import { accountLines, dataOfTransfer, slipLines, type TransferMailDeps } from '../transfers/transfer-mail.js'
import { findTransfer, type StoredTransfer } from '../transfers/transfers.sql.js'
import type { ClaimedMail } from './mail.sql.js'

export interface WriteMailDeps extends ReceiptDeps, TransferMailDeps {
  readonly clock: Clock
  readonly rules: BillingRules
  readonly catalogue: Catalogue
  readonly formats: Formats
  readonly publicUrl: string
  /** The address by which a user signs in to the portal, once. */
  readonly signInLink: (userId: string) => Promise<string>
  /** Who sends mail in this language. */
  readonly mailFrom: (locale: Locale) => { readonly name: string; readonly address: string }
}

export async function writeMail(deps: WriteMailDeps, owed: ClaimedMail): Promise<SendMailOptions> {
  const { email } = owed.user
  const locale = owed.user.locale ?? 'ar'
  const name = printableName(owed.user.name)
  if (email === null) throw new Error('a mail without an address')
  const transfer = isAboutTransfer(owed.kind)
    ? await findTransfer(deps.database, { userId: owed.userId, paymentId: owed.about })
    : null
  const receipt = isAboutPayment(owed.kind)
    ? await readReceipt(deps, { userId: owed.userId, paymentId: owed.about, locale })
    : null
  const grant = owed.kind === 'granted' ? await findGrant(deps.database, owed.userId, owed.about) : null
  const url = owed.kind === 'portal_link' ? await deps.signInLink(owed.userId) : `${deps.publicUrl}/portal`
  const words = wordsOf(deps, owed, { locale, name, receipt, grant, transfer, url })
  return {
    messageId: messageIdOf(owed, new URL(deps.publicUrl).hostname),
    // A copy: nodemailer writes into it.
    from: { ...deps.mailFrom(locale) },
    to: { name: name ?? '', address: email },
    ...messageOf(words),
    attachments: receipt ? attachmentsOf(receipt) : [],
  }
}

function attachmentsOf({ number, pdf }: Receipt) {
  if (pdf === null) return []
  return [{ filename: `receipt-${number}.pdf`, content: Buffer.from(pdf), contentType: 'application/pdf' }]
}

export type MailWords = Omit<ReturnType<typeof wordsOf>, 'color'> & { readonly color: string }

/** What a message says, as text and HTML, for users and operators alike. */
export function messageOf({ locale, ...words }: MailWords) {
  const said = { ...words, locale, subject: plain(words.subject) }
  return {
    ...{ subject: said.subject, text: textOf(said), html: htmlOf(said) },
    headers: { 'Content-Language': locale, 'Auto-Submitted': 'auto-generated' },
  }
}

/** The words of a message, before they become text and HTML. */
function wordsOf(
  deps: WriteMailDeps,
  owed: ClaimedMail,
  of: {
    readonly locale: Locale
    readonly name: string | null
    readonly receipt: Receipt | null
    readonly grant: KeptGrant | null
    readonly transfer: StoredTransfer | null
    readonly url: string
  },
) {
  const { locale, name, url } = of
  const { identity, shop } = deps.receipts.seller
  const phone = phoneInWords(identity.phone, locale)
  const say = sayFor(identity, locale)
  const theme = themeOf(owed)
  const data = dataOf(deps, owed, of)
  const next = of.receipt?.pdf === null ? 'mail_unprinted_next' : (`mail_${theme}_next` as const)
  return {
    locale,
    seller: identity.name[locale],
    color: shop.color ?? DEFAULT_MAIL_COLOR,
    subject: say(subjectKey(owed, deps.clock.now(), deps.formats), data),
    greeting: name === null ? say('mail_greetingUnnamed') : say('mail_greeting', { name }),
    paragraphs: [
      say(whatKey(owed, of.receipt), data),
      ...accountLines(deps, owed.kind, of.transfer, { say, amount: data.amount ?? '' }),
      say(next, data),
      ...slipLines(deps, owed, say),
      ...(owed.kind in BUTTONS || data.otherTerms === '' ? [] : [say('mail_otherTerms', data)]),
    ],
    button: say(BUTTONS[owed.kind] ?? 'mail_renewButton'),
    url,
    footer: say('mail_footer'),
    /** How to reach the seller. */
    contact: [identity.name[locale], phone, identity.email],
  }
}

const LINK = /[/\\:@]|\bwww\b|[\p{L}\p{N}][.\u3002\uff0e\uff61]\p{L}{2}/iu

/** Users choose their names: one that a mail program would make a link of is left out of the mail. */
export function printableName(name: string | null): string | null {
  return name !== null && LINK.test(name.normalize('NFKC')) ? null : name
}

/** What a message is about, read when it is written. */
interface Facts {
  readonly locale: Locale
  readonly receipt: Receipt | null
  readonly grant: KeptGrant | null
  readonly transfer: StoredTransfer | null
}

/** What any of the sentences may name. */
function dataOf(
  { rules, catalogue, clock, formats }: WriteMailDeps,
  owed: ClaimedMail,
  { locale, receipt, grant, transfer }: Facts,
): Readonly<Record<string, string>> {
  if (transfer) return dataOfTransfer(formats, locale, transfer)
  const now = clock.now()
  const { subscription } = owed.user
  const end = receipt?.periodEnd ?? grant?.end ?? subscription.paidUntil ?? now
  const [usual, ...others] = renewalOffers(subscription, catalogue)
  const plan = receipt?.snapshot.planName ?? grant?.plan.name ?? subscription.periods.at(-1)?.plan.name ?? ''
  return {
    plan: planName(plan, locale),
    end: formats.moment(end, locale),
    graceEnd: formats.moment(graceEndsAt(end, rules), locale),
    time: formats.timeLeft(end - now, locale),
    amount: receipt
      ? formats.centimes(totalOf(receipt.snapshot), locale)
      : formats.money(usual?.price.amount ?? 0, locale),
    duty: formats.centimes(receipt?.snapshot.stampDutyCentimes ?? 0, locale),
    reference: receipt?.snapshot.checkoutId ?? '',
    number: receipt?.number ?? '',
    term: termInWords(receipt?.snapshot.months ?? usual?.months ?? 1, locale),
    otherTerms: offersInWords(others, formats, locale),
    granted: grant ? lengthOf(grant, formats, locale) : '',
  }
}

/** `6 months (11 000 DA), 12 months (20 000 DA)` */
function offersInWords(offers: readonly Offer[], formats: Formats, locale: Locale): string {
  const words = offers.map(({ months, price }) => {
    return `${termInWords(months, locale)} (${formats.money(price.amount, locale)})`
  })
  return words.join(locale === 'ar' ? '، ' : ', ')
}

/** `14 days`, `3 months` */
function lengthOf({ months, days }: KeptGrant, formats: Formats, locale: Locale): string {
  return months > 0 ? termInWords(months, locale) : formats.timeLeft(days * DAY, locale)
}

/** Of all mail but reminders, which lead to a renewal. */
const BUTTONS: Readonly<Partial<Record<MailKind, MessageKey>>> = {
  receipt: 'openPortal',
  refunded: 'openPortal',
  granted: 'openPortal',
  payment_requested: 'openPortal',
  proof_received: 'openPortal',
  payment_refused: 'openPortal',
  portal_link: 'mail_linkButton',
}

/** A reminder of the last day names it; the others give the number of days left. */
function subjectKey({ kind, about, user }: ClaimedMail, now: Instant, { isoDay }: Formats): MessageKey {
  const theme = themeOf({ kind, about })
  const { paidUntil } = user.subscription
  const days =
    theme === 'expiring' && paidUntil !== null
      ? (Date.parse(isoDay(paidUntil)) - Date.parse(isoDay(now))) / DAY
      : null
  if (days === 0) return 'mail_expiring_today_subject'
  return days === 1 ? 'mail_expiring_tomorrow_subject' : `mail_${theme}_subject`
}

/** What is handed over is not paid by card: the mail says how. */
function whatKey({ kind, about }: ClaimedMail, receipt: Receipt | null): MessageKey {
  const { paymentMethod: method, months = 1 } = receipt?.snapshot ?? {}
  const ofMethod = `mail_${kind}_${method}_what`
  if (isMessageKey(ofMethod)) return ofMethod
  return kind === 'receipt' && months > 1 ? 'mail_receipt_term_what' : `mail_${themeOf({ kind, about })}_what`
}

/** All reminders before the end say the same; of time that was given without a payment, a code says its own. */
function themeOf({ kind, about }: Pick<ClaimedMail, 'kind' | 'about'>) {
  if (kind === 'granted' && about.startsWith('red_')) return 'granted_code'
  return kind === 'expiring_7_days' || kind === 'expiring_3_days' || kind === 'expiring_1_day'
    ? 'expiring'
    : kind
}

function textOf({ locale, greeting, paragraphs, button, url, footer, contact }: MailWords): string {
  const colon = locale === 'fr' ? '\u00a0:' : ':'
  const end = `-- \n${contact.join(' · ')}\n${footer}`
  return [greeting, ...paragraphs, `${button}${colon} ${url}`, end].join('\n\n')
}

const BODY =
  'margin:0;background:#f3f6f4;color:#12231b;font:16px/1.6 -apple-system,Segoe UI,Roboto,Noto Sans,Noto Sans Arabic,Tahoma,sans-serif'
const COLUMN = 'max-width:34rem;margin:0 auto;padding:24px 16px'
const BRAND = 'margin:0 0 16px;font-weight:700'
const CARD = 'background:#ffffff;border:1px solid #d5dfd9;border-radius:14px;padding:24px'
const BUTTON =
  'display:inline-block;padding:12px 24px;color:#ffffff;border-radius:10px;font-weight:600;text-decoration:none'
/** Where the seller has no color: that of the pages. */
export const DEFAULT_MAIL_COLOR = '#0a5c3b'
const SMALL = 'margin:16px 0 0;font-size:14px;color:#4b5c53'

/** For mail programs: one column, styles on the elements (many programs drop style sheets), no picture, one link. */
function htmlOf(words: MailWords): string {
  const { locale, color, subject, greeting, paragraphs, button, url, footer, contact } = words
  const html = (
    <html lang={locale} dir={directionOf(locale)}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title safe>{subject}</title>
      </head>
      <body style={BODY}>
        <div style={COLUMN} dir={directionOf(locale)}>
          <p style={`${BRAND};color:${color}`} safe>
            {words.seller}
          </p>
          <div style={CARD}>
            <p style="margin:0 0 12px" safe>
              {greeting}
            </p>
            {paragraphs.map((paragraph) => (
              <p style="margin:0 0 16px">{safeParagraph(paragraph)}</p>
            ))}
            <a href={url} style={`${BUTTON};background:${color}`} safe>
              {button}
            </a>
          </div>
          <p style={SMALL} safe>
            {contact.join(' · ')}
          </p>
          <p style={SMALL} safe>
            {footer}
          </p>
        </div>
      </body>
    </html>
  )
  return `<!doctype html>${String(html)}`
}

/** References and receipt numbers, which a line must not end in: a payer copies the half of one. */
const GROUPED = /\b[A-Z0-9]{4}(?:-[A-Z0-9]{4,6}){1,2}\b/g

function safeParagraph(text: string): string {
  const safe = escapeHtml(text).replaceAll('\n', '<br>')
  return safe.replace(GROUPED, (number) => `<span style="white-space:nowrap">${number}</span>`)
}

/** Some programs draw the marks around isolated names as boxes in a subject. */
function plain(text: string): string {
  return text.replace(/[\u2066-\u2069]/g, '').replaceAll('\u00a0', ' ')
}

/**
 * The same for every attempt and every process. The user's id stays out of it: messages get forwarded. What is asked for again
 * is queued again: mailboxes drop a message whose id they have seen.
 */
function messageIdOf({ userId, kind, about, queuedAt }: ClaimedMail, host: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([userId, kind, about, queuedAt]))
    .digest('hex')
  return `<${kind}.${digest.slice(0, 32)}@${host}>`
}
