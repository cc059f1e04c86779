import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CONSOLE_TEXTS, FOLDERS, sectionsOf, textsOf } from '../../../../test/support/all-words.js'
import { temporaryFolder } from '../../../../test/support/temporary-folder.js'
import { ERROR_CODES, VALIDATION_CODES } from '../core/error.js'
import { byLocale, LOCALES, type Locale } from '../core/locale.js'
import '../main/wire.js'
import { pathToFileURL } from 'node:url'
import { createFormats, inParts, planAndTerm } from './formats.js'
import {
  CATALOGS,
  type ConsoleKey,
  consoleSay,
  instrumentName,
  isConsoleKey,
  isMessageKey,
  type MessageKey,
  phoneInWords,
  planName,
  sayIn,
} from './messages.js'
import { addTextsIn, textOf } from './words.js'

const DOCUMENTS = ['receipt', 'invoice', 'credit_note', 'proforma']
const LABELS = [...DOCUMENTS, 'instrument', 'fieldProblem', 'fieldBound']
const textsIn = byLocale((locale) => {
  const labels = LABELS.flatMap((section) =>
    Object.entries(textsOf(section, locale)).map(([key, text]) => [`${section}.${key}`, text] as const),
  )
  const refusals = Object.entries(CATALOGS[locale].error).flatMap(([code, { title, detail }]) => [
    [`error.${code}.title`, title] as const,
    [`error.${code}.detail`, detail] as const,
  ])
  const sentences = ['page', 'portal', 'mail'].flatMap((section) => Object.entries(textsOf(section, locale)))
  return new Map<string, string>([...sentences, ...labels, ...refusals])
})
const catalog = [...textsIn.en.keys()].map((key) => {
  return [key, byLocale((locale) => textsIn[locale].get(key) ?? '')] as const
})
const dataOf = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort()

describe('every text', () => {
  it('has the same key in all languages, once', () => {
    for (const locale of LOCALES) {
      expect([...textsIn[locale].keys()]).toEqual([...textsIn.en.keys()])
      expect(Object.keys(CONSOLE_TEXTS[locale])).toEqual(Object.keys(CONSOLE_TEXTS.en))
      const keys = FOLDERS.flatMap((folder) => {
        const { console: _, ...sections } = sectionsOf(folder, locale)
        return Object.values(sections).flatMap((section) => Object.keys(section))
      })
      // An error has two texts.
      expect(keys.length + 2 * Object.keys(CATALOGS[locale].error).length).toBe(textsIn[locale].size)
    }
  })

  it('is there once the service is, as are those of operators', () => {
    const keys = ['page', 'portal', 'mail'].flatMap((section) => Object.keys(textsOf(section, 'en')))
    expect(keys.filter((key) => !isMessageKey(key))).toEqual([])
    expect(Object.keys(textsOf('console', 'en')).filter((key) => !isConsoleKey(key))).toEqual([])
  })

  it('is read on a page, where a backtick would be shown as it is', () => {
    const texts = LOCALES.flatMap((locale) => [
      ...Object.values(CONSOLE_TEXTS[locale]),
      ...textsIn[locale].values(),
    ])
    expect(texts.filter((text) => text.includes('`'))).toEqual([])
  })

  it('of a refusal belongs to a code, and every code has one, in other words in every language', () => {
    expect(Object.keys(CATALOGS.en.error)).toEqual(ERROR_CODES)
    expect(Object.keys(CATALOGS.en.fieldProblem)).toEqual([...VALIDATION_CODES])
    const refusals = catalog.filter(([key]) => key.startsWith('error.'))
    const same = refusals.filter(([, text]) => new Set(Object.values(text)).size < LOCALES.length)
    expect(same).toEqual([])
  })

  it('is there in all languages, with the same data', () => {
    const isWrong = (text: string, english: string) =>
      text === '' || text.trim() !== text || dataOf(text).join() !== dataOf(english).join()
    const ofConsole = Object.keys(CONSOLE_TEXTS.en).map(
      (key) => [key, byLocale((locale) => CONSOLE_TEXTS[locale][key] ?? '')] as const,
    )
    const all = [...catalog, ...ofConsole]
    expect(all.filter(([, text]) => LOCALES.some((locale) => isWrong(text[locale], text.en)))).toEqual([])
  })

  it('is used somewhere', () => {
    const folder = path.resolve(import.meta.dirname, '..')
    const code = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /(?<!\.test)\.tsx?$/.test(file))
      .map((file) => readFileSync(path.join(folder, file), 'utf8'))
      .join('\n')
    const words = new Set(code.match(/\w+/g))
    // Composed keys: `status_${status}`, codeInWords(view, 'job', name), `${answer}Title`.
    const starts = [...code.matchAll(/`(\w+_)\$\{|InWords\(\w+, '(\w+)'/g)].map(
      ([, start, kind]) => start ?? `${kind}_`,
    )
    const ends = [...code.matchAll(/\$\{\w+\}([A-Z]\w+)`/g)].map(([, end = '']) => end)
    const isUsed = (key: string) =>
      words.has(key) || starts.some((start) => key.startsWith(start)) || ends.some((end) => key.endsWith(end))
    const keys = [...textsIn.en.keys(), ...Object.keys(CONSOLE_TEXTS.en)].filter(
      (key) => !/^error\./.test(key),
    )
    expect(keys.filter((key) => !isUsed(key.split('.').at(-1) ?? ''))).toEqual([])
  })

  it('is Arabic in Arabic', () => {
    // Only data and marks may lack Arabic letters.
    const wordsOf = (text: string) => text.replace(/\{\w+\}/g, '').match(/\p{L}+/gu)
    const foreign = catalog.filter(([, { ar }]) =>
      wordsOf(ar)?.every((word) => !/\p{Script=Arabic}/u.test(word)),
    )
    expect(foreign.map(([key]) => key)).toEqual([])
  })
})

describe('saying', () => {
  it('puts data in by name, isolated where it would turn an Arabic sentence around', () => {
    expect(sayIn('en')('timeLeft', { time: '3 days' })).toBe('3 days left')
    expect(sayIn('ar')('timeLeft', { time: '3 أيام' })).toBe('المتبقي: \u20683 أيام\u2069')
  })

  it('keeps a telephone number in one piece, and from left to right among Arabic words', () => {
    expect(phoneInWords('+213 23 00', 'fr')).toBe('+213\u00a023\u00a000')
    expect(phoneInWords('+213 23 00', 'ar')).toBe('\u2066+213\u00a023\u00a000\u2069')
  })

  it('refuses a sentence whose data is missing', () => {
    expect(() => sayIn('fr')('timeLeft')).toThrow('the message timeLeft has no time')
  })

  it('translates the names of the seed, and leaves others as they are', () => {
    expect(LOCALES.map((locale) => planName('Free', locale))).toEqual(['المجانية', 'Gratuite', 'Free'])
    expect(planName('Équipe', 'ar')).toBe('Équipe')
    expect(instrumentName('cash', 'fr')).toBe('Espèces')
    expect(instrumentName('sofizpay', 'fr')).toBe('SOFIZPAY')
  })
})

const dataFor = (text: string) =>
  Object.fromEntries([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name ?? '', '…']))

function saidIn(locale: Locale): readonly (readonly [key: string, said: string])[] {
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
    const parted = saidIn(locale).filter(([, said]) => /\d \p{L}|…\u2069? [sث](?!\p{L})|[nN]° /u.test(said))
    expect(parted.map(([key]) => key)).toEqual([])
    const seconds = consoleSay(locale)('check_clock_right', { seconds: '0,0' }).replace(/[\u2068\u2069]/g, '')
    expect(seconds).toMatch(/0,0\u00a0\p{L}/u)
    const made = [figure(2, 'megabytes', locale), figure(300, minutes, locale), timeLeft(30 * 60_000, locale)]
    expect(made.filter((text) => / /.test(text))).toEqual([])
  }
})

it('a text is there once its folder is read, and no other folder may have its key', () => {
  const folder = temporaryFolder()
  for (const locale of LOCALES) {
    const texts = JSON.stringify({ console: { pretend_text: locale } })
    writeFileSync(path.join(folder, `words.${locale}.json`), texts)
  }
  const address = pathToFileURL(`${folder}/`)
  expect(isConsoleKey('pretend_text')).toBe(false)
  expect(() => textOf('operator', 'en', 'pretend_text')).toThrow('there is no text pretend_text')
  addTextsIn(address)
  expect(isConsoleKey('pretend_text')).toBe(true)
  expect(textOf('operator', 'fr', 'pretend_text')).toBe('fr')
  expect(() => addTextsIn(address)).toThrow('two texts have the key pretend_text')
})
