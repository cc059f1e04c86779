// What every page has around its content: language and direction, the name on top, the choice of languages, the way back.
// A page is one document without a script, and asks no server for anything else.
import type { Locale } from '../../domain/locale.js'
import { LOCALES } from '../../domain/locale.js'
import { directionOf, LANGUAGE_NAMES, sayIn } from '../../domain/messages.js'
import { STYLE } from './style.js'

export interface Page {
  readonly locale: Locale
  readonly title: string
  /** Made of components, which have escaped what they were given. */
  readonly safeContent: JSX.Element
  /** Where `?lang=` is put behind; empty: the page's own address. */
  readonly languagePath?: string
  /** Where "back" leads. */
  readonly backUrl: string
  /** Beside it, at the very end. */
  readonly safeEnd?: JSX.Element
}

export function renderPage({ locale, title, safeContent, languagePath, backUrl, safeEnd }: Page): string {
  const say = sayIn(locale)
  const html = (
    <html lang={locale} dir={directionOf(locale)}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="theme-color" content="#06402a" />
        <title safe>{`${title} · ${say('brand')}`}</title>
        <link rel="icon" href={ICON} />
        <style>{STYLE}</style>
      </head>
      <body>
        <header class="top">
          <div>
            <span class="brand">
              {MARK}
              <span safe>{say('brand')}</span>
            </span>
            <Languages current={locale} label={say('language')} path={languagePath ?? ''} />
          </div>
        </header>
        <main>{safeContent}</main>
        <footer class="foot">
          <a href={backUrl} safe>
            {say('backToPlatform')}
          </a>
          {safeEnd}
        </footer>
      </body>
    </html>
  )
  return `<!doctype html>${String(html)}`
}

/** Each language is named in itself: who is lost in a page must be able to read the way out. */
function Languages({ current, label, path }: { current: Locale; label: string; path: string }) {
  return (
    <nav aria-label={label}>
      <ul>
        {LOCALES.map((locale) => (
          <li>
            <a
              href={`${path}?lang=${locale}`}
              lang={locale}
              hreflang={locale}
              {...(locale === current && { 'aria-current': 'true' })}
              safe
            >
              {LANGUAGE_NAMES[locale]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** A calendar leaf with a tick: a paid month. */
const DRAWING =
  '<rect x="3" y="5" width="18" height="16" rx="3.5" fill="none" stroke="#fff" stroke-width="2"/><path d="M8 3v4M16 3v4M8 14l3 3 5-6" fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/>'
const MARK = `<svg viewBox="0 0 24 24" aria-hidden="true">${DRAWING}</svg>`
const ICON = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-4 -4 32 32"><rect x="-4" y="-4" width="32" height="32" rx="7" fill="#06402a"/>${DRAWING}</svg>`,
)}`

export type SignKind = 'ok' | 'waiting' | 'bad' | 'info'

/** The large sign of a page with one thing to say. It only repeats what the heading says. */
export function Sign({ kind }: { kind: SignKind }) {
  return SIGNS[kind]
}

const sign = (colour: string, inside: string) =>
  `<svg class="sign" viewBox="0 0 56 56" aria-hidden="true"><circle cx="28" cy="28" r="28" fill="${colour}"/>${inside}</svg>`
const stroke = (colour: string, path: string, name = '') =>
  `<path${name} d="${path}" fill="none" stroke="${colour}" stroke-width="4.5" stroke-linecap="round" stroke-linejoin="round"/>`

const SIGNS: Readonly<Record<SignKind, string>> = {
  ok: sign('#0a5c3b', stroke('#fff', 'M17 29l8 8 15-17')),
  waiting: sign('#e3f2ea', stroke('#0a5c3b', 'M28 12a16 16 0 1 1-16 16', ' class="spin"')),
  bad: sign('#fdecec', stroke('#9b1c1c', 'M20 20l16 16M36 20L20 36')),
  info: sign('#fff4de', stroke('#7a4300', 'M28 25v14M28 17v.01')),
}
