import { LOCALES } from '../core/locale.js'
import { createFormats, writtenIn } from './formats.js'

const formats = createFormats('Africa/Algiers')
const NOON = Date.parse('2026-12-21T12:00:00Z')
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]
const spaced = (text: string) => text.replaceAll('\u00a0', ' ').replaceAll('\u202f', ' ')

it('money has no point and no comma that could be taken for a fraction', () => {
  for (const locale of LOCALES) {
    const currency = locale === 'ar' ? 'دج' : 'DA'
    expect(spaced(formats.money(2000, locale))).toBe(`2 000 ${currency}`)
    expect(formats.money(2000, locale)).not.toMatch(/[.,٬ ]/)
    // The sign is to the left of the number, whichever way the text runs.
    const signs = [formats.moved(2000, locale), formats.moved(-2000, locale)].map(spaced)
    expect(signs).toEqual(['+', '\u2212'].map((sign) => `\u2066${sign}2 000\u2069 ${currency}`))
    expect(spaced(formats.number(1234567, locale))).toBe('1 234 567')
  }
})

it('a day and an hour are those of the zone, with digits everybody reads', () => {
  const moments = {
    ar: ['21 ديسمبر 2026', '21 ديسمبر 2026 على الساعة 13:00'],
    fr: ['21 décembre 2026', '21 décembre 2026 à 13:00'],
    en: ['21 December 2026', '21 December 2026 at 13:00'],
  }
  for (const locale of LOCALES) {
    // Algiers is one hour ahead of UTC all year.
    expect([formats.day(NOON, locale), formats.moment(NOON, locale)].map(spaced)).toEqual(moments[locale])
    expect(formats.time(NOON, locale)).toBe('13:00')
    expect(formats.day(NOON, locale)).not.toContain(' ')
    expect(formats.moment(NOON, locale).split(' ').map(spaced)[0]).toBe(moments[locale][0])
  }
  // Midnight is not 24:00.
  expect(formats.time(Date.parse('2026-12-20T23:00:00Z'), 'fr')).toBe('00:00')
})

it('a date is the day that it names, in a zone west of UTC too', () => {
  const { day } = writtenIn(createFormats('America/New_York'), 'en')
  expect([day('2026-12-21'), day('2026-12-21T02:00:00Z')].map(spaced)).toEqual([
    ...['21 December 2026', '20 December 2026'],
  ])
})

it('the first of a month is an ordinal in French, and January is called as Algeria calls it', () => {
  const dayOf = (day: string, locale: 'ar' | 'fr' | 'en') =>
    spaced(formats.day(Date.parse(`${day}T12:00:00Z`), locale))
  expect(dayOf('2026-12-01', 'fr')).toBe('1er décembre 2026')
  expect(dayOf('2026-12-01', 'en')).toBe('1 December 2026')
  expect(dayOf('2026-12-11', 'fr')).toBe('11 décembre 2026')
  expect(dayOf('2027-01-01', 'ar')).toBe('1 جانفي 2027')
})

const COUNTED = [
  [30 * DAY, '30 يومًا', '30 jours', '30 days'],
  [3 * DAY, '3 أيام', '3 jours', '3 days'],
  [2 * DAY, 'يومان', '2 jours', '2 days'],
  [DAY, 'يوم', '1 jour', '1 day'],
  [DAY - 1, '24 ساعة', '24 heures', '24 hours'],
  [2 * DAY + 1, '3 أيام', '3 jours', '3 days'],
  [HOUR, 'ساعة', '1 heure', '1 hour'],
  [5 * MINUTE, '5 دقائق', '5 minutes', '5 minutes'],
  [1, 'دقيقة', '1 minute', '1 minute'],
] as const

it('time that is left is counted with the grammar of the language', () => {
  const said = COUNTED.map(([ms]) => [ms, ...LOCALES.map((one) => spaced(formats.timeLeft(ms, one)))])
  expect(said).toEqual(COUNTED)
})

const STORED = [
  [500, '500 ميغابايت', '500 Mo', '500 MB'],
  [5120, '5 غيغابايت', '5 Go', '5 GB'],
  [1536, '1,5 غيغابايت', '1,5 Go', '1.5 GB'],
  [3000, '3 000 ميغابايت', '3 000 Mo', '3 000 MB'],
] as const

it('megabytes are written in the unit that needs at most one decimal', () => {
  const said = STORED.map(([size]) => [
    size,
    ...LOCALES.map((one) => spaced(formats.figure(size, 'megabytes', one))),
  ])
  expect(said).toEqual(STORED)
})
