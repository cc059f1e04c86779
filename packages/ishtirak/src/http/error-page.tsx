// The page to which every problem's `type` leads: all codes in three languages, from one list. No script.
import { ERROR_CODES, ERRORS } from '../core/error.js'
import { LOCALES } from '../core/locale.js'
import { CATALOGS, directionOf } from '../i18n/messages.js'

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-inline-size: 60rem; padding-inline: 1rem }
section:target { background: #fd06 } h2 { font-size: 1.1rem } h2 a { color: inherit }
`

export function errorPage(): string {
  const codes = ERROR_CODES.toSorted((one, other) => ERRORS[one] - ERRORS[other])
  return `<!doctype html>${String(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Ishtirak: error codes</title>
        <style>{STYLE}</style>
      </head>
      <body>
        <h1>Error codes</h1>
        <p>
          Switch on <code>code</code>, never on the sentences: those follow <code>Accept-Language</code>.
        </p>
        {codes.map((code) => (
          <section id={code}>
            <h2>
              <a href={`#${code}`}>
                <code>{code}</code>
              </a>{' '}
              {ERRORS[code]}
            </h2>
            {LOCALES.map((locale) => (
              <p lang={locale} dir={directionOf(locale)}>
                <strong safe>{CATALOGS[locale].error[code].title}</strong>{' '}
                <span safe>{CATALOGS[locale].error[code].detail}</span>
              </p>
            ))}
          </section>
        ))}
      </body>
    </html>,
  )}`
}
