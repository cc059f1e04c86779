// One letter in its reader's language: what is, and what to do. Every link leads to a page of ours, where he can log in and
// see for himself; never to a checkout, which dies in half an hour.
import { createHash } from 'node:crypto'
import type { Locale } from '../domain/locale.js'
import { type MessageKey, planName, type Say, sayIn } from '../domain/messages.js'
import { renewalAt } from '../domain/renewal.js'
import { graceEndsAt } from '../domain/subscription.js'
import type { Letter } from '../runtime/mailer.js'
import type { ClaimedMail } from '../store/mails.js'
import { htmlOfLetter } from './letter-html.js'
import type { MailParts, Parts } from './parts.js'
import { type PrintedReceipt, readReceipt } from './read-receipt.js'

/** The words of a letter, before they become text and HTML. */
export interface LetterWords {
  readonly locale: Locale
  readonly seller: string
  readonly subject: string
  readonly greeting: string
  readonly paragraphs: readonly string[]
  readonly button: string
  readonly url: string
  readonly footer: string
}

export async function writeLetter(parts: Parts, mail: MailParts, owed: ClaimedMail): Promise<Letter> {
  const locale = owed.locale ?? 'ar'
  const { email, name } = owed.user
  if (email === null) throw new Error('a letter to nobody')
  const receipt =
    owed.kind === 'receipt'
      ? await readReceipt(parts, { userId: owed.userId, paymentId: owed.about, locale })
      : null
  const words = wordsOf(parts, mail, owed, { locale, receipt })
  return {
    messageId: messageIdOf(owed, new URL(parts.publicUrl).hostname),
    from: mail.from(locale),
    to: { name: name ?? '', address: email },
    subject: words.subject,
    text: textOf(words),
    html: htmlOfLetter(words),
    language: locale,
    attachments: receipt ? [{ filename: `receipt-${receipt.number}.pdf`, pdf: receipt.pdf }] : [],
  }
}

function wordsOf(
  parts: Parts,
  mail: MailParts,
  owed: ClaimedMail,
  of: { readonly locale: Locale; readonly receipt: PrintedReceipt | null },
): LetterWords {
  const { locale } = of
  const say = sayIn(locale)
  const theme = owed.kind.startsWith('expiring') ? 'expiring' : owed.kind
  // The catalogue's test holds all of these keys.
  const key = (part: string) => `mail_${theme}_${part}` as MessageKey
  const data = dataOf(parts, mail, owed, of)
  const { name } = owed.user
  return {
    locale,
    seller: parts.receipts.seller.identity.name[locale],
    subject: plain(say(key('subject'), data)),
    greeting: greet(say, name),
    paragraphs: [say(key('what'), data), say(key('next'), data)],
    button: say(owed.kind === 'receipt' ? 'mail_button' : 'mail_renewButton'),
    url: `${parts.publicUrl}/portal`,
    footer: say('mail_footer'),
  }
}

function greet(say: Say, name: string | null): string {
  return name === null ? say('mail_greetingNobody') : say('mail_greeting', { name })
}

/** What any of the sentences may need; those that do not, ignore it. */
function dataOf(
  { terms, catalogue, clock }: Parts,
  { formats }: MailParts,
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

function textOf({ greeting, paragraphs, button, url, footer }: LetterWords): string {
  return [greeting, ...paragraphs, `${button}: ${url}`, `-- \n${footer}`].join('\n\n')
}

/** Subjects are shown by programs that draw the marks around isolated names as boxes. */
function plain(text: string): string {
  return text.replace(/[\u2066-\u2069]/g, '').replaceAll('\u00a0', ' ')
}

/** The same for every attempt and every process. The user's id stays out of it: letters get forwarded. */
function messageIdOf({ userId, kind, about }: ClaimedMail, host: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([userId, kind, about]))
    .digest('hex')
  return `<${kind}.${digest.slice(0, 32)}@${host}>`
}
