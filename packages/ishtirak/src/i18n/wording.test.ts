// The words that were chosen with care: what reads as another thing, what a line must not part, how readers
// are addressed.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { CONSOLE_TEXTS, FOLDERS, sectionsOf, textsOf } from '../../../../test/support/all-words.js'
import { LOCALES, type Locale } from '../core/locale.js'
import { type ConsoleKey, consoleSay } from './console.js'
import '../main/wire.js'
import { createFormats, inParts, planAndTerm } from './formats.js'
import { CATALOGS, type MessageKey, sayIn } from './messages.js'

/** For whatever data a text names. */
const dataFor = (text: string) =>
  Object.fromEntries([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name ?? '', '…']))

function textsIn(locale: Locale): readonly (readonly [key: string, stored: string, said: string])[] {
  const [say, sayToOperators] = [sayIn(locale), consoleSay(locale)]
  return [
    ...['page', 'portal', 'mail']
      .flatMap((section) => Object.entries(textsOf(section, locale)))
      .map(([key, text]) => {
        const said = say(key as MessageKey, dataFor(text))
        return [key, text, said] as const
      }),
    ...Object.entries(CONSOLE_TEXTS[locale]).map(([key, text]) => {
      return [`console.${key}`, text, sayToOperators(key as ConsoleKey, dataFor(text))] as const
    }),
  ]
}

describe('Arabic', () => {
  it('calls an operator المنفِّذ everywhere', () => {
    expect(CONSOLE_TEXTS.ar.operatorKey).toBe('مفتاح المنفِّذ')
    const all = FOLDERS.map((folder) => sectionsOf(folder, 'ar'))
    expect(JSON.stringify([CATALOGS.ar.error, all])).not.toMatch(/مشغ\u0651?ل(?!\p{L})|مشغ\u0651?ل[وي]ن/u)
  })

  it('writes minutes out: د reads as dinars', () => {
    const files = ['docs/selling.example.json', 'docs/selling.md', 'docs/limits.md']
    const units = files.flatMap((file) => [
      ...readFileSync(file, 'utf8').matchAll(/"unit": ?\{ ?"ar": "(.+?)"/g),
    ])
    expect(units.map(([, unit]) => unit)).toEqual(['دقيقة', 'دقيقة', 'دقيقة'])
    const minutes = createFormats('Africa/Algiers').timeLeft(90_000, 'ar')
    expect(minutes).toMatch(/دقيقت|دقائق|دقيقة/)
    const alone = LOCALES.flatMap(textsIn).filter(([, text]) => /(^|[\s\d}])د(?![\p{L}\p{M}])/u.test(text))
    expect(alone.map(([key]) => key)).toEqual([])
  })

  it('keeps a plan and its term in order, with a Latin name too', () => {
    const [bought, pay] = [planAndTerm({ name: 'Pro' }, 12, 'ar'), planAndTerm({ name: 'Pro' }, 12, 'en')]
    expect(bought).toBe('\u200f\u2068Pro\u2069 · \u206812\u00a0شهرًا\u2069')
    expect(pay).toBe('Pro · 12\u00a0months')
    expect(inParts([bought, 'EDAHABIA'], 'ar')).toBe(`\u200f\u2068${bought}\u2069 · \u2068EDAHABIA\u2069`)
  })
})

describe('French', () => {
  it('has no infinitive beside an imperative', () => {
    const isBoth = (text: string) =>
      /(?<![Cc]h|[Aa]ss)\p{L}ez(?!\p{L})/u.test(text) &&
      /(^|[.:;?!] )(Ne pas |Se |S’)?(?!Votre|Notre|Autre)\p{Lu}\p{L}+(er|ir|re)(?!\p{L})/u.test(text)
    const mixed = textsIn('fr').filter(([, text]) => isBoth(text))
    expect(mixed.map(([key]) => key)).toEqual([])
  })

  it('does not part n° and its number', () => {
    expect(sayIn('fr')('mail_receipt_subject', { number: '7', amount: '7' })).toBe(
      'Votre reçu n°\u00a07\u00a0: 7',
    )
  })
})

it('a line does not end between a figure and its unit, nor inside what formats make of figures', () => {
  const { figure, timeLeft } = createFormats('Africa/Algiers')
  const minutes = { ar: 'دقيقة', fr: 'min', en: 'min' }
  for (const locale of LOCALES) {
    const parted = textsIn(locale).filter(([, , said]) =>
      /\d \p{L}|…\u2069? [sث](?!\p{L})|[nN]° /u.test(said),
    )
    expect(parted.map(([key]) => key)).toEqual([])
    const seconds = consoleSay(locale)('check_clock_right', { seconds: '0,0' }).replace(/[\u2068\u2069]/g, '')
    expect(seconds).toMatch(/0,0\u00a0\p{L}/u)
    const made = [figure(2, 'megabytes', locale), figure(300, minutes, locale), timeLeft(30 * 60_000, locale)]
    expect(made.filter((text) => / /.test(text))).toEqual([])
  }
})
