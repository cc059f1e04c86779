// Figures as they are written in Algeria, and never one that reads as another.
import { expect, it } from 'vitest'
import { createFormats } from './formats.js'

const formats = createFormats('Africa/Algiers')
const NOON = Date.parse('2026-12-21T12:00:00Z')
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]
const spaced = (text: string) => text.replaceAll('\u00a0', ' ').replaceAll('\u202f', ' ')

it.each([
  ['ar', '2 000 دج'],
  ['fr', '2 000 DA'],
  ['en', '2 000 DA'],
] as const)('money has no point and no comma that could be taken for a fraction (%s)', (locale, text) => {
  expect(spaced(formats.money(2000, locale))).toBe(text)
  expect(formats.money(2000, locale)).not.toMatch(/[.,٬ ]/)
  // The sign is to the left of the number, whichever way the text runs.
  const signs = [formats.moved(2000, locale), formats.moved(-2000, locale)].map(spaced)
  expect(signs).toEqual(['+', '\u2212'].map((sign) => `\u2066${sign}2 000\u2069${text.slice(5)}`))
  expect(spaced(formats.number(1234567, locale))).toBe('1 234 567')
})

it.each([
  ['ar', '21 ديسمبر 2026', '21 ديسمبر 2026 على الساعة 13:00', '13:00'],
  ['fr', '21 décembre 2026', '21 décembre 2026 à 13:00', '13:00'],
  ['en', '21 December 2026', '21 December 2026 at 13:00', '13:00'],
] as const)(
  'a day and an hour are those of the zone, with digits everybody reads (%s)',
  (locale, day, moment, time) => {
    // Algiers is one hour ahead of UTC all year.
    expect(spaced(formats.day(NOON, locale))).toBe(day)
    expect(spaced(formats.moment(NOON, locale))).toBe(moment)
    expect(formats.time(NOON, locale)).toBe(time)
    expect(formats.day(NOON, locale)).not.toContain(' ')
  },
)

it('midnight is 00:00, not 24:00', () => {
  expect(formats.time(Date.parse('2026-12-20T23:00:00Z'), 'fr')).toBe('00:00')
})

it('the first of a month is an ordinal in French', () => {
  const first = Date.parse('2026-12-01T12:00:00Z')
  expect(spaced(formats.day(first, 'fr'))).toBe('1er décembre 2026')
  expect(spaced(formats.moment(first, 'fr'))).toBe('1er décembre 2026 à 13:00')
  expect(spaced(formats.day(first, 'en'))).toBe('1 December 2026')
  expect(spaced(formats.day(Date.parse('2026-12-11T12:00:00Z'), 'fr'))).toBe('11 décembre 2026')
})

it('January is called as Algeria calls it', () => {
  expect(spaced(formats.day(Date.parse('2027-01-01T12:00:00Z'), 'ar'))).toBe('1 جانفي 2027')
})

it.each([
  [30 * DAY, '30 يومًا', '30 jours', '30 days'],
  [3 * DAY, '3 أيام', '3 jours', '3 days'],
  [2 * DAY, 'يومان', '2 jours', '2 days'],
  [DAY, 'يوم', '1 jour', '1 day'],
  [DAY - 1, '24 ساعة', '24 heures', '24 hours'],
  [2 * DAY + 1, '3 أيام', '3 jours', '3 days'],
  [HOUR, 'ساعة', '1 heure', '1 hour'],
  [5 * MINUTE, '5 دقائق', '5 minutes', '5 minutes'],
  [1, 'دقيقة', '1 minute', '1 minute'],
])('%i ms are counted with the grammar of the language', (ms, ar, fr, en) => {
  const said = (['ar', 'fr', 'en'] as const).map((locale) => spaced(formats.timeLeft(ms, locale)))
  expect(said).toEqual([ar, fr, en])
})

it.each([
  [500, '500 ميغابايت', '500 Mo', '500 MB'],
  [5120, '5 غيغابايت', '5 Go', '5 GB'],
  [1536, '1,5 غيغابايت', '1,5 Go', '1.5 GB'],
  [3000, '3 000 ميغابايت', '3 000 Mo', '3 000 MB'],
])('%i megabytes', (megabytes, ar, fr, en) => {
  const said = (['ar', 'fr', 'en'] as const).map((locale) => spaced(formats.storage(megabytes, locale)))
  expect(said).toEqual([ar, fr, en])
})
