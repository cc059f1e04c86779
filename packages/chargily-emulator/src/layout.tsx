// What every page shares: head, style sheet, the notice that nothing here is real, and the choice of
// language.
import type { FastifyRequest } from 'fastify'
import { LOCALES, type Locale } from './records.js'
import { LANGUAGE_NAMES, TEXTS } from './texts.js'

interface PageOptions {
  /** Default: "Payment". */
  readonly title?: string
  readonly isOneLanguage?: boolean
  /** Rules after those of every page. */
  readonly style?: string
}

/** The content comes from components, which have escaped it. */
export function pageOf(locale: Locale, safeContent: JSX.Element, options: PageOptions = {}): string {
  const texts = TEXTS[locale]
  const html = (
    <html lang={locale} dir={locale === 'ar' ? 'rtl' : 'ltr'}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title safe>{`${options.title ?? texts.title} · ${texts.sandbox}`}</title>
        <style>{STYLE + (options.style ?? '')}</style>
      </head>
      <body>
        <header class="sandbox" safe>
          {`${texts.sandbox} · ${texts.notReal}`}
        </header>
        <main>{safeContent}</main>
        {options.isOneLanguage ? null : <Languages current={locale} label={texts.languages} />}
      </body>
    </html>
  )
  return `<!doctype html>${html}`
}

/** The first known of `?lang=` and the others. */
export function languageOf({ query }: FastifyRequest, ...others: readonly string[]): Locale {
  // Without a schema Fastify gives the query as an object of unknown members.
  const { lang } = query as { lang?: unknown }
  const known = [lang, ...others].map((tag) => LOCALES.find((locale) => locale === tag))
  return known.find((locale) => locale !== undefined) ?? 'ar'
}

function Languages({ current, label }: { current: Locale; label: string }) {
  return (
    <nav aria-label={label}>
      <ul>
        {LOCALES.map((locale) => (
          <li>
            <a
              href={`?lang=${locale}`}
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

/**
 * Logical properties mirror it for Arabic; every colour pair has a contrast of at least 4.5, every control is
 * at least 44 px high, and it fits a phone 320 px wide.
 */
const STYLE = `
:root{--ink:#16211c;--soft:#4a5a52;--line:#c3cec8;--page:#f3f6f4;--card:#fff;--go:#0b6b46;
--warn:#7a4300;--warnbg:#fff1d6;color-scheme:light}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);
font:1rem/1.5 system-ui,"Segoe UI","Noto Sans Arabic",Tahoma,sans-serif}
.sandbox{margin:0;padding:.75rem 1rem;background:var(--warnbg);color:var(--warn);
font-weight:600;text-align:center}
main{inline-size:min(26rem,100% - 2rem);margin:1.5rem auto;padding:1.5rem;
background:var(--card);border:1px solid var(--line);border-radius:.75rem}
nav ul{display:flex;gap:.5rem;list-style:none;margin:1rem 0 0;padding:0;justify-content:center}
nav a{display:inline-block;padding:.5rem .75rem;color:var(--go)}
nav a[aria-current]{color:var(--ink);font-weight:600;text-decoration:none}
h1{margin:0;font-size:1rem;font-weight:600;color:var(--soft);overflow-wrap:anywhere}
.amount{margin:.25rem 0;font-size:2.25rem;font-weight:700;line-height:1.2}
.note{margin:.25rem 0;color:var(--soft);overflow-wrap:anywhere}
.state{padding:1rem;border-inline-start:.25rem solid var(--go);background:var(--page);font-weight:600}
.failed,.canceled,.expired{border-color:var(--warn)}
fieldset{margin:1.25rem 0 0;padding:0;border:0}
legend{padding:0;font-weight:600}
.card{display:flex;align-items:center;gap:.75rem;min-block-size:3rem;margin-block-start:.5rem;
padding:.5rem .75rem;border:1px solid var(--line);border-radius:.5rem}
.card input{inline-size:1.5rem;block-size:1.5rem;margin:0;accent-color:var(--go)}
h2{margin:1.5rem 0 .25rem;font-size:1.125rem}
main p{margin:.25rem 0}
main a{display:inline-block;padding-block:.625rem;color:var(--go)}
button{display:block;inline-size:100%;min-block-size:3rem;margin-block-start:.5rem;border:1px solid #6b7a72;
border-radius:.5rem;background:var(--card);color:var(--ink);font:inherit;font-weight:600;cursor:pointer}
button.pay{border-color:var(--go);background:var(--go);color:#fff}
:focus-visible{outline:3px solid #1a4fd6;outline-offset:2px}
`
