import { expect, it } from 'vitest'
import { CONSOLE_TEXTS, textsOf } from '../../../../test/support/all-words.js'
import { LOCALES, type Locale } from '../core/locale.js'
import { type ConsoleKey, consoleSay } from './console.js'
import '../main/wire.js'
import { createFormats, inParts, planAndTerm } from './formats.js'
import { type MessageKey, sayIn } from './messages.js'

const dataFor = (text: string) =>
  Object.fromEntries([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name ?? '', '…']))

function textsIn(locale: Locale): readonly (readonly [key: string, said: string])[] {
  const [say, sayToOperators] = [sayIn(locale), consoleSay(locale)]
  const sentences = ['page', 'portal', 'mail'].flatMap((section) => Object.entries(textsOf(section, locale)))
  return [
    ...sentences.map(([key, text]) => [key, say(key as MessageKey, dataFor(text))] as const),
    ...Object.entries(CONSOLE_TEXTS[locale]).map(([key, text]) => {
      return [`console.${key}`, sayToOperators(key as ConsoleKey, dataFor(text))] as const
    }),
  ]
}

it('Arabic keeps a plan and its term in order, with a Latin name too', () => {
  const [bought, pay] = [planAndTerm({ name: 'Pro' }, 12, 'ar'), planAndTerm({ name: 'Pro' }, 12, 'en')]
  expect(bought).toBe('\u200f\u2068Pro\u2069 · \u206812\u00a0شهرًا\u2069')
  expect(pay).toBe('Pro · 12\u00a0months')
  expect(inParts([bought, 'EDAHABIA'], 'ar')).toBe(`\u200f\u2068${bought}\u2069 · \u2068EDAHABIA\u2069`)
})

it('a line does not end between a figure and its unit, nor inside what formats make of figures', () => {
  const { figure, timeLeft } = createFormats('Africa/Algiers')
  const minutes = { ar: 'دقيقة', fr: 'min', en: 'min' }
  for (const locale of LOCALES) {
    const parted = textsIn(locale).filter(([, said]) => /\d \p{L}|…\u2069? [sث](?!\p{L})|[nN]° /u.test(said))
    expect(parted.map(([key]) => key)).toEqual([])
    const seconds = consoleSay(locale)('check_clock_right', { seconds: '0,0' }).replace(/[\u2068\u2069]/g, '')
    expect(seconds).toMatch(/0,0\u00a0\p{L}/u)
    const made = [figure(2, 'megabytes', locale), figure(300, minutes, locale), timeLeft(30 * 60_000, locale)]
    expect(made.filter((text) => / /.test(text))).toEqual([])
  }
})
