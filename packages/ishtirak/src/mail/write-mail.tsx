// Writes one message in the user's language, with the words of its capability. Links lead to the portal,
// where the user can sign in, and never to a checkout, which expires in half an hour.
import { createHash } from 'node:crypto'
import { escapeHtml } from '@kitajs/html'
import type { SendMailOptions } from 'nodemailer'
import type { MailContent, MailWriter } from '../acts/mail-writer.js'
import type { Locale } from '../core/locale.js'
import { directionOf, phoneInWords, sayFor } from '../i18n/messages.js'
import type { CommonParts } from '../ledger/parts.js'
import type { ClaimedMail } from './mail.sql.js'

export interface WriteMailDeps extends Pick<CommonParts, 'seller' | 'publicUrl'> {
  /** The sender of mail in a language. */
  readonly mailFrom: (locale: Locale) => { readonly name: string; readonly address: string }
}

export async function writeMail(deps: WriteMailDeps, owed: ClaimedMail, writer: MailWriter) {
  const { publicUrl, seller } = deps
  const { email } = owed.user
  if (email === null) throw new Error('a mail without an address')
  const { identity } = seller
  const locale = owed.user.locale ?? 'ar'
  const name = printableName(owed.user.name)
  const say = sayFor(identity, locale)
  const content = await writer.write(owed, { locale, say })
  return composeMail(deps, locale, {
    ...{ id: idOf(owed), url: `${publicUrl}/portal`, ...content },
    to: [{ name: name ?? '', address: email }],
    greeting: name === null ? say('mail_greetingUnnamed') : say('mail_greeting', { name }),
    footer: say('mail_footer'),
    contact: [identity.name[locale], phoneInWords(identity.phone, locale), identity.email],
  })
}

interface MailWords extends MailContent {
  /** The same for each attempt to send the mail: mailboxes drop a second message with the same id. */
  readonly id: string
  readonly to: MailMessage['to']
  readonly greeting: string
  readonly url: string
  readonly footer: string
  readonly contact: readonly string[]
}

export interface MailMessage extends SendMailOptions {
  to: (string | { name: string; address: string })[]
  subject: string
  text: string
}

/** A message in the seller's name, as text and HTML: to a user or to operators. */
export function composeMail(deps: WriteMailDeps, locale: Locale, words: MailWords): MailMessage {
  const { id, to, attachments = [] } = words
  const said = { ...words, subject: plain(words.subject) }
  return {
    messageId: `<${id}@${new URL(deps.publicUrl).hostname}>`,
    // A copy, because nodemailer modifies it.
    from: { ...deps.mailFrom(locale) },
    ...{ to, subject: said.subject, text: textOf(locale, said), html: htmlOf(deps, locale, said) },
    headers: { 'Content-Language': locale, 'Auto-Submitted': 'auto-generated' },
    attachments: [...attachments],
  }
}

const LINK = /[/\\:@]|\bwww\b|[\p{L}\p{N}][.\u3002\uff0e\uff61]\p{L}{2}/iu

/** Users choose their names. Null if a mail program would turn the name into a link. */
export function printableName(name: string | null): string | null {
  return name !== null && LINK.test(name.normalize('NFKC')) ? null : name
}

function textOf(locale: Locale, { greeting, paragraphs, button, url, footer, contact }: MailWords): string {
  const colon = locale === 'fr' ? '\u00a0:' : ':'
  const end = `-- \n${contact.join(' · ')}\n${footer}`
  return [greeting, ...paragraphs, `${button}${colon} ${url}`, end].join('\n\n')
}

const BODY =
  'margin:0;background:#f3f6f4;color:#12231b;font:16px/1.6 -apple-system,Segoe UI,Roboto,Noto ' +
  'Sans,Noto Sans Arabic,Tahoma,sans-serif'
const COLUMN = 'max-width:34rem;margin:0 auto;padding:24px 16px'
const BRAND = 'margin:0 0 16px;font-weight:700'
const CARD = 'background:#ffffff;border:1px solid #d5dfd9;border-radius:14px;padding:24px'
const BUTTON =
  'display:inline-block;padding:12px ' +
  '24px;color:#ffffff;border-radius:10px;font-weight:600;text-decoration:none'
/** Used if the seller has no color: the color of the pages. */
const DEFAULT_COLOR = '#0a5c3b'
const SMALL = 'margin:16px 0 0;font-size:14px;color:#4b5c53'

/** For mail programs: one column, styles on the elements (many drop style sheets), no picture, one link. */
function htmlOf({ seller }: WriteMailDeps, locale: Locale, words: MailWords): string {
  const { subject, greeting, paragraphs, button, url, footer, contact } = words
  const color = seller.shop.color ?? DEFAULT_COLOR
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
            {seller.identity.name[locale]}
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

/** References and receipt numbers. A line must not end inside one: a payer would copy half of it. */
const GROUPED = /\b[A-Z0-9]{4}(?:-[A-Z0-9]{4,6}){1,2}\b/g

function safeParagraph(text: string): string {
  const safe = escapeHtml(text).replaceAll('\n', '<br>')
  return safe.replace(GROUPED, (number) => `<span style="white-space:nowrap">${number}</span>`)
}

/** Some programs draw the marks of direction as boxes in a subject. */
function plain(text: string): string {
  return text.replace(/[\u200f\u2066-\u2069]/g, '').replaceAll('\u00a0', ' ')
}

/** Leaves out the user's id, because messages get forwarded. A mail that is queued again has another id. */
function idOf({ userId, kind, about, queuedAt }: ClaimedMail): string {
  const digest = createHash('sha256').update(JSON.stringify([userId, kind, about, queuedAt]))
  return `${kind}.${digest.digest('hex').slice(0, 32)}`
}
