// Numbers, money, dates and durations as people in Algeria write them, by Intl, in each language. It formats instants in
// one zone, which is handed in; which words stand around them is the catalogue's business (domain/messages.ts).
import { DAY, HOUR, type Instant, MINUTE } from '../domain/instant.js'
import { LOCALES, type Locale } from '../domain/locale.js'

export interface Formats {
  /** `2 000 DA`: whole dinars. */
  money(amount: number, locale: Locale): string
  /** `5 120` */
  number(count: number, locale: Locale): string
  /** `21 December 2026` */
  day(instant: Instant, locale: Locale): string
  /** `21 December 2026 at 13:00` */
  moment(instant: Instant, locale: Locale): string
  /** `13:00` */
  time(instant: Instant, locale: Locale): string
  /** `30 days`, `5 hours`, `2 minutes`: what is begun counts, so that nobody is told of 0. */
  timeLeft(ms: number, locale: Locale): string
  /** Megabytes, as gigabytes where they are whole ones: `500 MB`, `5 GB`. */
  storage(megabytes: number, locale: Locale): string
}

/** Algeria's Arabic has Latin digits and its own names of months (جانفي, فيفري); English is read day first there. */
const TAGS: Readonly<Record<Locale, string>> = { ar: 'ar-DZ', fr: 'fr-DZ', en: 'en-GB' }
const CURRENCY: Readonly<Record<Locale, string>> = { ar: 'دج', fr: 'DA', en: 'DA' }

export function createFormats(timeZone: string): Formats {
  // Made once: an Intl format takes some 50 µs to build and 1 µs to use.
  const numbers = byLocale((tag) => new Intl.NumberFormat(tag, { maximumFractionDigits: 1 }))
  const days = byLocale((tag) => new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeZone }))
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone } as const
  const times = byLocale((tag) => new Intl.DateTimeFormat(tag, clock))
  const date = { day: 'numeric', month: 'long', year: 'numeric' } as const
  const moments = byLocale((tag) => new Intl.DateTimeFormat(tag, { ...date, ...clock }))
  const units = byLocale((tag, locale) => {
    const unitDisplay = locale === 'ar' ? 'long' : 'short'
    const unit = (name: string, display: 'long' | 'short') =>
      new Intl.NumberFormat(tag, {
        style: 'unit',
        unit: name,
        unitDisplay: display,
        maximumFractionDigits: 1,
      })
    return {
      day: unit('day', 'long'),
      hour: unit('hour', 'long'),
      minute: unit('minute', 'long'),
      megabyte: unit('megabyte', unitDisplay),
      gigabyte: unit('gigabyte', unitDisplay),
    }
  })
  return {
    money: (amount, locale) => `${grouped(numbers[locale], amount)}\u00a0${CURRENCY[locale]}`,
    number: (count, locale) => grouped(numbers[locale], count),
    day: (instant, locale) => unbroken(days[locale].format(instant)),
    moment: (instant, locale) => unbroken(moments[locale].format(instant)),
    time: (instant, locale) => times[locale].format(instant),
    timeLeft: (ms, locale) => {
      const { day, hour, minute } = units[locale]
      if (ms >= DAY) return grouped(day, Math.ceil(ms / DAY))
      return ms >= HOUR
        ? grouped(hour, Math.ceil(ms / HOUR))
        : grouped(minute, Math.max(1, Math.ceil(ms / MINUTE)))
    },
    storage: (megabytes, locale) => {
      const { megabyte, gigabyte } = units[locale]
      return megabytes >= 1024 && megabytes % 512 === 0
        ? grouped(gigabyte, megabytes / 1024)
        : grouped(megabyte, megabytes)
    },
  }
}

/** A date that is torn apart at the end of a line is read twice. */
function unbroken(text: string): string {
  return text.replaceAll(' ', '\u00a0')
}

/**
 * Groups of three are parted by a space that does not break, in all languages: Intl parts them by a point in ar-DZ and by
 * a comma in English, and a point or a comma must not change what a sum is (the receipts do the same).
 */
function grouped(format: Intl.NumberFormat, value: number): string {
  return format
    .formatToParts(value)
    .map((part) => (part.type === 'group' ? '\u00a0' : part.value))
    .join('')
}

function byLocale<Format>(make: (tag: string, locale: Locale) => Format): Readonly<Record<Locale, Format>> {
  const made = LOCALES.map((locale) => [locale, make(TAGS[locale], locale)])
  // One entry for each of LOCALES, which is all there is of Locale.
  return Object.fromEntries(made) as Record<Locale, Format>
}
