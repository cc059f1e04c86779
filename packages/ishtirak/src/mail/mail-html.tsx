// A mail message as HTML, for mail programs: one column, styles on the elements (many programs throw style sheets away), no
// picture and no address but the one of the button.
import type { Locale } from '../core/locale.js'
import { directionOf } from '../i18n/messages.js'

const BODY =
  'margin:0;background:#f3f6f4;color:#12231b;font:16px/1.6 -apple-system,Segoe UI,Roboto,Noto Sans,Noto Sans Arabic,Tahoma,sans-serif'
const COLUMN = 'max-width:34rem;margin:0 auto;padding:24px 16px'
const BRAND = 'margin:0 0 16px;font-weight:700'
const CARD = 'background:#ffffff;border:1px solid #d5dfd9;border-radius:14px;padding:24px'
const BUTTON =
  'display:inline-block;padding:12px 24px;color:#ffffff;border-radius:10px;font-weight:600;text-decoration:none'
/** Where the seller has no color: that of the pages. */
const COLOR = '#0a5c3b'
const SMALL = 'margin:16px 0 0;font-size:14px;color:#4b5c53'

/** The words of a message, before they become text and HTML. */
export interface MailWords {
  readonly locale: Locale
  readonly seller: string
  /** The seller's, `#rrggbb`. */
  readonly color: string | null
  readonly subject: string
  readonly greeting: string
  readonly paragraphs: readonly string[]
  readonly button: string
  readonly url: string
  readonly footer: string
  /** How to reach the seller. */
  readonly contact: readonly string[]
}

export function htmlOf(words: MailWords): string {
  const { locale, subject, greeting, paragraphs, button, url, footer, contact } = words
  const color = words.color ?? COLOR
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
              <p style="margin:0 0 16px" safe>
                {paragraph}
              </p>
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
