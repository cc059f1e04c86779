// Codes that were just made, as cards to print on A4 and to cut. Nothing shows them again.
import { csvLine } from '../acts/files.js'
import type { Locale } from '../core/locale.js'
import { writtenIn } from '../i18n/formats.js'
import { consoleSay, directionOf } from '../i18n/messages.js'
import { addressOf, type ConsolePages, renderConsole, type View } from '../pages/console-frame.js'
import { LinkButton } from '../pages/parts.js'
import { pageHeaders, readSheet } from '../pages/portal-frame.js'
import { givesInWords, type Validity, validInWords, type Worth } from './code-words.js'

const CARDS = readSheet(new URL('./code-sheet.css', import.meta.url))

interface Sheet {
  readonly batch_id: string
  readonly codes: readonly string[]
  readonly batch: Worth & Validity
  readonly why: string
  /** The language of the cards. */
  readonly locale: Locale
}

export function codeSheet(pages: ConsolePages, view: View, sheet: Sheet) {
  const { say } = view
  const { batch_id: batchId, codes, why } = sheet
  const style = `${pages.style}${CARDS}`
  const html = renderConsole(
    { ...pages, style },
    {
      ...view,
      title: say('cardsTitle'),
      section: 'codes',
      languagePath: addressOf(pages.base, 'codes'),
      safeContent: (
        <>
          <section class="card on-screen" role="status">
            <h1 safe>{say('cardsTitle')}</h1>
            <p safe>{why}</p>
            <p safe>{say('cardsOnce')}</p>
            <p class="actions">
              <a class="button" href={fileOf(codes, batchId)} download={`${batchId}.csv`} safe>
                {say('cardsFile')}
              </a>
              <LinkButton href={addressOf(pages.base, 'codes', batchId)} label={say('writtenDown')} />
            </p>
          </section>
          <Cards {...{ pages, sheet }} />
        </>
      ),
    },
  )
  return { html, headers: pageHeaders(style, "'none'", "form-action 'self'") }
}

function fileOf(codes: readonly string[], batchId: string): string {
  const lines = [['code', 'batch_id'], ...codes.map((code) => [code, batchId])]
  return `data:text/csv;charset=utf-8,${encodeURIComponent(lines.map((line) => csvLine(line)).join(''))}`
}

function Cards({ pages, sheet }: { readonly pages: ConsolePages; readonly sheet: Sheet }) {
  const { codes, batch, locale } = sheet
  const reader = { locale, say: consoleSay(locale), ...writtenIn(pages.formats, locale) }
  const valid = validInWords(reader, batch)
  const gives = givesInWords(pages, reader, batch)
  const shop = pages.seller.identity.name[locale]
  const where = `${pages.publicUrl}/portal`
  return (
    <ol class="cards" lang={locale} dir={directionOf(locale)}>
      {codes.map((code) => (
        <li>
          <b safe>{shop}</b>
          <span safe>{gives}</span>
          <code dir="ltr" safe>
            {code}
          </code>
          {valid === null ? null : (
            <span class="small" safe>
              {valid}
            </span>
          )}
          <span class="small">
            <span safe>{reader.say('cardWhere')}</span>{' '}
            <bdi dir="ltr" safe>
              {where}
            </bdi>
          </span>
        </li>
      ))}
    </ol>
  )
}
