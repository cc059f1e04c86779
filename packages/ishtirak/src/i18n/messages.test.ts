// The catalogue is complete: every sentence in every language, with the same data, and used somewhere.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { LOCALES } from '../core/locale.js'
import { MESSAGES, type MessageKey, phoneInWords, planName, sayIn } from './messages.js'

const source = path.resolve(import.meta.dirname, '..')
const catalogue = Object.entries(MESSAGES)
const dataOf = (sentence: string) => [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort()

describe('every sentence', () => {
  it.each(catalogue)('%s is there in all languages, with the same data', (_key, sentence) => {
    for (const locale of LOCALES) {
      expect(sentence[locale].trim()).toBe(sentence[locale])
      expect(sentence[locale]).not.toBe('')
      expect(dataOf(sentence[locale])).toEqual(dataOf(sentence.en))
    }
  })

  it('is Arabic in Arabic', () => {
    // Nothing but data and marks may be without an Arabic letter.
    const strange = catalogue.filter(([, { ar }]) => !/\p{Script=Arabic}/u.test(ar.replace(/\{\w+\}/g, '')))
    expect(strange.map(([key]) => key)).toEqual([])
  })

  it('ends as it does in the other languages: a sentence with a full stop, a label without', () => {
    const ends = (text: string) => /[.:،,]$/.exec(text)?.[0]?.replace('،', ',') ?? ''
    const odd = catalogue.filter(
      ([, { ar, fr, en }]) => new Set([ar, fr, en].map((text) => ends(text))).size > 1,
    )
    expect(odd.map(([key]) => key)).toEqual([])
  })

  it('is typeset as its language wants it', () => {
    // French: a typographic apostrophe, and a space before : ; ! and ?
    const french = catalogue.filter(([, { fr }]) => /'|\S[:;!?]/.test(fr))
    expect(french.map(([key]) => key)).toEqual([])
    const arabic = catalogue.filter(([, { ar }]) => /[,;?]/.test(ar))
    expect(arabic.map(([key]) => key)).toEqual([])
  })

  it('is used somewhere', () => {
    const code = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !path.basename(file).startsWith('messages-'))
      .map((file) => readFileSync(path.join(source, file), 'utf8'))
      .join('\n')
    // Limits and mail are named by what they are about, so their keys are composed.
    const built =
      /^(projects|domains_per_project|deploys_per_day|storage_mb|mail_(receipt|refunded|portal_link|expiring|past_due|expired)_)/
    const unused = catalogue.filter(([key]) => !built.test(key) && !code.includes(`'${key}'`))
    expect(unused.map(([key]) => key)).toEqual([])
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

  it('has all that mail needs', () => {
    for (const theme of ['receipt', 'expiring', 'past_due', 'expired'])
      for (const part of ['subject', 'what', 'next']) {
        const key = `mail_${theme}_${part}` as MessageKey
        expect(MESSAGES[key].ar).not.toBe('')
      }
  })

  it('translates the plan of the seed, and leaves other names as they were configured', () => {
    expect(LOCALES.map((locale) => planName('Free', locale))).toEqual(['المجانية', 'Gratuite', 'Free'])
    expect(planName('Équipe', 'ar')).toBe('Équipe')
  })
})
