// The frame of every page: language and direction, the seller's name, the choice of languages, and the
// seller's contact. A page is one document without a script, and loads nothing else.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ValidationProblem } from '../core/error.js'
import { LOCALES, type Locale } from '../core/locale.js'
import type { ShownPayment } from '../core/payment.js'
import type { Catalogue } from '../core/plan.js'
import type { Seller } from '../core/receipt.js'
import type { BillingRules, SubscriptionFacts } from '../core/subscription.js'
import type { Database } from '../database/database.js'
import type { CallerChecks, Callers } from '../http/callers.js'
import type { Formats } from '../i18n/formats.js'
import { CATALOGS, directionOf, type MessageKey, type Say, sayFor } from '../i18n/messages.js'
import type { Clock } from '../runtime/clock.js'
import { lightenedFor, READABLE_CONTRAST, VISIBLE_CONTRAST } from '../runtime/color.js'
import type { Reader, Session } from './reader.js'

export interface FrameParts extends CallerChecks {
  readonly database: Database
  readonly clock: Clock
  readonly formats: Formats
  readonly seller: Seller
  readonly catalogue: Catalogue
  readonly headers: Readonly<Record<string, string>>
  readonly style: string
  /** The path under which a proxy may have put us, as in PUBLIC_URL; empty at the root of a host. */
  readonly base: string
}

export interface PageParts extends Pick<FrameParts, 'formats' | 'seller' | 'catalogue' | 'style' | 'base'> {
  readonly rules: BillingRules
  /** The methods besides the card. */
  readonly shownMethods: readonly ShownMethod[]
  readonly orderFields: readonly OrderField[]
}

export interface Pages extends FrameParts, PageParts {
  /** There is a mail server, so users can be sent a link into the portal. */
  readonly mailsLinks: boolean
  readonly reader: Reader
  /** Identifies users by their session, and counts their requests. */
  readonly users: Callers<Session>
  /** The platform, at the page where this session came from. */
  backUrl(session: Session | null): string
  /** Answers 422 with the portal's page at this path, on which the refused form stands as it was typed. */
  showAgain(request: FastifyRequest, reply: FastifyReply, page: string, sent: SentForm): Promise<FastifyReply>
}

/** A form that was sent and could not be acted on, as it was typed. */
export interface SentForm {
  readonly typed: Readonly<Record<string, string>>
  readonly problems: readonly ValidationProblem[]
}

/** A payment method as the portal shows it. */
export interface OfferedMethod {
  /** The API's name of the method, such as `card`. */
  readonly method: string
  /** The words of the choice: `Transfer (CCP or BaridiMob)`. */
  readonly label: (say: Say, locale: Locale) => string
  readonly path: string
  readonly button: MessageKey
  readonly next: MessageKey
  /** When time that begins at once starts to count, in words; absent: now. */
  readonly startsFrom?: MessageKey
  /** Absent: it pays any sum. */
  readonly purse?: Purse
}

/** The user's own money that the method pays from, which can be too little. */
interface Purse {
  /** Whole dinars. */
  readonly amountIn: (facts: SubscriptionFacts) => number
  readonly missing: MessageKey
  readonly add: { readonly label: MessageKey; readonly path: string }
}

export type OrderField = (of: { readonly say: Say }) => JSX.Element

/** A method other than the card, with its words for lists of payments and for the page after paying. */
export interface ShownMethod extends OfferedMethod {
  /** The text in the list of payments: `by transfer`. */
  readonly by: MessageKey
  /** The text about an open payment by this method, after another payment was paid. */
  readonly also: MessageKey
  readonly reference: { readonly label: MessageKey; readonly inWords: (checkoutId: string) => string }
}

/** Undefined: the payment is by card. */
export function shownMethodOf(
  { shownMethods }: { readonly shownMethods: readonly ShownMethod[] },
  { method }: Pick<ShownPayment, 'method'>,
): ShownMethod | undefined {
  return shownMethods.find((shown) => shown.method === method)
}

export interface Page {
  readonly locale: Locale
  readonly title: string
  /** Rendered by components, which escape what they are given. */
  readonly safeContent: JSX.Element
  /** The address that gets `lang=`; empty: that of the page; null: there is no choice of languages. */
  readonly languagePath?: string | null
  /** The target of "back"; null: the content has that link already. */
  readonly backUrl: string | null
  /** Stands beside the link, at the end of the page. */
  readonly safeEnd?: JSX.Element
  readonly safeStart?: JSX.Element
}

export function renderPage(pages: PageParts, page: Page): string {
  const { locale, title, safeContent, languagePath = '', backUrl, safeEnd, safeStart } = page
  const say = sayFor(pages.seller.identity, locale)
  const name = pages.seller.identity.name[locale]
  return renderLayout(pages, {
    locale,
    title: `${title} · ${name}`,
    brand: name,
    safeStart,
    safeTop:
      languagePath === null ? null : (
        <Languages current={locale} label={say('language')} path={languagePath} />
      ),
    safeContent: (
      <>
        <main>{safeContent}</main>
        <footer class="foot">
          <SellerContact pages={pages} locale={locale} say={say} />
          <div class="row">
            {backUrl === null ? null : (
              <a href={backUrl} safe>
                {say('backToSeller')}
              </a>
            )}
            {safeEnd}
          </div>
        </footer>
      </>
    ),
  })
}

/** The document of both portal and console. `brand` stands beside the logo. */
export function renderLayout(
  { seller, style }: Pick<PageParts, 'seller' | 'style'>,
  of: {
    readonly locale: Locale
    readonly title: string
    readonly brand: string
    readonly look?: 'console'
    readonly safeStart?: JSX.Element | undefined
    readonly safeTop: JSX.Element | null
    readonly safeContent: JSX.Element
  },
): string {
  const { color, logo } = seller.shop
  const html = (
    <html lang={of.locale} dir={directionOf(of.locale)}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" content={color ?? DEFAULT_COLOR} />
        <title safe>{of.title}</title>
        <link rel="icon" href={logo ?? iconIn(color ?? DEFAULT_COLOR)} />
        <style>{style}</style>
      </head>
      <body class={of.look}>
        {of.safeStart}
        <header class="top">
          <div>
            <span class="brand">
              {logo === null ? null : <img src={logo} alt="" />}
              <span safe>{of.brand}</span>
            </span>
            {of.safeTop}
          </div>
        </header>
        {of.safeContent}
      </body>
    </html>
  )
  return `<!doctype html>${String(html)}`
}

/** Links to the other languages. Each is named in itself, so that its readers find it. */
export function Languages({ current, label, path }: { current: Locale; label: string; path: string }) {
  const start = path.includes('?') ? `${path}&lang=` : `${path}?lang=`
  return (
    <nav aria-label={label}>
      <ul>
        {LOCALES.filter((locale) => locale !== current).map((locale) => (
          <li>
            <a href={`${start}${locale}`} lang={locale} hreflang={locale} safe>
              {CATALOGS[locale].page.languageName}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** The seller's contact and terms, which a buyer must see before paying. */
function SellerContact({ pages, locale, say }: { pages: PageParts; locale: Locale; say: Say }) {
  const { identity, shop } = pages.seller
  return (
    <address>
      <b safe>{identity.name[locale]}</b>
      {/* RFC 3966: digits and a leading plus, without the signs between them. */}
      <a href={`tel:${identity.phone.replace(/[^+\d]/g, '')}`} dir="ltr" safe>
        {identity.phone}
      </a>
      <a href={`mailto:${identity.email}`} dir="ltr" safe>
        {identity.email}
      </a>
      <a href={shop.termsUrl[locale]} safe>
        {say('terms')}
      </a>
      <a href={shop.refundUrl[locale]} safe>
        {say('refundPolicy')}
      </a>
    </address>
  )
}

const DEFAULT_COLOR = '#06402a'

/** The icon of the browser's tab if the seller has no logo: a calendar leaf with a tick. */
const iconIn = (color: string) =>
  `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-4 -4 32 32">\
<rect x="-4" y="-4" width="32" height="32" rx="7" fill="${color}"/>\
<g fill="none" stroke="#fff" stroke-width="2"><rect x="3" y="5" width="18" height="16" rx="3.5"/>\
<path d="M8 3v4M16 3v4M8 14l3 3 5-6" stroke-linecap="round" stroke-linejoin="round"/></g></svg>`,
  )}`

// The style sheet is inlined, so that the first paint needs one round trip.
const SHEET = readSheet(new URL('./pages.css', import.meta.url))

export function readSheet(file: URL): string {
  return readFileSync(file, 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s*\n\s*/g, '')
    .replace(/\s*([{};,>])\s*/g, '$1')
    .replace(/:\s+/g, ':')
}

/** `--card` of the dark colors in pages.css. */
const DARK_CARD = '#18211d'

/** `color` is the seller's color `#rrggbb`; null: that of the sheet. */
export function styleWith(color: string | null): string {
  if (color === null) return SHEET
  const light = `--brand:${color};--action:${color};--accent:${color}`
  // On a dark card, text must be readable, and a button with white text must only be visible.
  const [accent, action] = [READABLE_CONTRAST, VISIBLE_CONTRAST].map((least) =>
    lightenedFor(color, DARK_CARD, least),
  )
  const dark = `--brand:${color};--action:${action};--accent:${accent}`
  return `${SHEET}:root{${light}}@media screen and (prefers-color-scheme:dark){:root{${dark}}}`
}

/**
 * The headers of every page. There is no `form-action`: browsers apply it to the redirect after a form too,
 * which leads to the provider, and the provider may change its addresses.
 */
export function pageHeaders(
  style: string,
  frameAncestors: string,
  ...further: readonly string[]
): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    'img-src data:',
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors}`,
    ...further,
  ]
  return {
    'cache-control': 'no-store',
    'content-security-policy': policy.join('; '),
    'content-type': 'text/html; charset=utf-8',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
}
