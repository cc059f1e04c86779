// The frame of every page: language and direction, the seller's name, the choice of languages, and the
// seller's contact; and the parts that several pages use. A page is one document without a script, and loads
// nothing else.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { PropsWithChildren } from '@kitajs/html'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ValidationProblem } from '../core/error.js'
import { LOCALES, type Locale } from '../core/locale.js'
import type { Catalogue } from '../core/plan.js'
import type { Seller } from '../core/receipt.js'
import type { BillingRules } from '../core/subscription.js'
import type { Database } from '../database/database.js'
import type { CallerChecks, Callers } from '../http/callers.js'
import type { Formats } from '../i18n/formats.js'
import { CATALOGS, directionOf, type Say, sayFor } from '../i18n/messages.js'
import type { Clock } from '../runtime/clock.js'
import { lightenedFor, READABLE_CONTRAST, VISIBLE_CONTRAST } from '../runtime/color.js'
import type { Reader, Session } from './reader.js'
import type { OrderField, ShownMethod } from './shown-method.js'
import { P } from './words.js'

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

/** `late`: a clock; `review`: a magnifying glass; `back`: money that went back; `mail`: a letter. */
export type SignKind = 'ok' | 'waiting' | 'bad' | 'info' | 'late' | 'review' | 'back' | 'mail'

/** The large sign of a page with one message. It only repeats the heading, so it is hidden from readers. */
export function Sign({ kind }: { kind: SignKind }) {
  const tone = kind === 'bad' ? 'bad' : kind === 'ok' || kind === 'waiting' ? '' : 'warn'
  return `<svg class="sign ${tone}" viewBox="0 0 56 56" aria-hidden="true">\
<circle cx="28" cy="28" r="28"/><path d="${SIGNS[kind]}"/></svg>`
}

const SIGNS: Readonly<Record<SignKind, string>> = {
  ok: 'M17 29l8 8 15-17',
  waiting: 'M28 12a16 16 0 1 1-16 16',
  bad: 'M20 20l16 16M36 20L20 36',
  info: 'M28 25v14M28 17v.01',
  late: 'M28 15a13 13 0 1 1-.01 0M28 20v8l6 4',
  review: 'M25 16a10 10 0 1 1-.01 0M33 34l8 8',
  back: 'M22 16l-8 8 8 8M14 24h18a8 8 0 0 1 0 16h-8',
  mail: 'M14 18h28v20h-28zM14 19l14 11 14-11',
}

export function SubmitButton({ label }: { label: string }) {
  return (
    <button type="submit" class="go" safe>
      {label}
    </button>
  )
}

/** `go`: the main button. `isBeside`: it opens in a new tab, for a document that is printed and closed. */
export function LinkButton(of: {
  href: string | undefined
  label: string
  go?: boolean
  isBeside?: boolean
}) {
  const { href, label, go, isBeside } = of
  return (
    <a class={go ? 'button go' : 'button'} href={href} target={isBeside ? '_blank' : undefined} safe>
      {label}
    </a>
  )
}

/** The link above the title of each page except the first one. */
export function BackToPortal({ base, say }: { readonly base: string; readonly say: Say }) {
  return (
    <a class="back" href={`${base}/portal`}>
      <span aria-hidden="true">{'\u2039'}</span>
      <span safe>{say('backToPortal')}</span>
    </a>
  )
}

export function FormToken({ session }: { session: Pick<Session, 'formToken'> }) {
  return <input type="hidden" name="form_token" value={session.formToken} />
}

export function Card({ id, title, children }: PropsWithChildren<{ id: string; title: string }>) {
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id} safe>
        {title}
      </h2>
      {children}
    </section>
  )
}

export function Notice(of: PropsWithChildren<{ tone: '' | 'warn'; title: string; text: string }>) {
  return (
    <section class={`notice ${of.tone}`}>
      <h2 safe>{of.title}</h2>
      <P>{of.text}</P>
      {of.children}
    </section>
  )
}

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
