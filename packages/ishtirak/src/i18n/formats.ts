// Numbers, money, dates and durations as they are written in Algeria, by Intl, in each language. Instants are
// shown in the zone that the caller passes. The words around them are in messages.ts.
import { DAY, HOUR, type Instant, MINUTE } from '../core/instant.js'
import type { LimitDefinition } from '../core/limit.js'
import { byLocale, type Locale } from '../core/locale.js'
import type { PaidFor, Payment } from '../core/payment.js'
import { CATALOGS, fill, planName } from './messages.js'

export type Formats = ReturnType<typeof createFormats>

/** Arabic in Algeria has Latin digits and its own month names (جانفي, فيفري). English puts the day first. */
const TAGS: Readonly<Record<Locale, string>> = { ar: 'ar-DZ', fr: 'fr-DZ', en: 'en-GB' }

const terms = byLocale((locale) =>
  ungrouped(TAGS[locale], { style: 'unit', unit: 'month', unitDisplay: 'long' }),
)

/** `12 months`, `12 mois`, `12 شهرًا`. */
export function termInWords(count: number, locale: Locale): string {
  return unbroken(terms[locale].format(count))
}

/**
 * `Pro · 12 months · 2 000 DA`. In Arabic each part is isolated, or a figure would change sides. The isolated
 * parts have no direction, and the whole would run from left to right, so a mark comes first.
 */
export function inParts(parts: readonly string[], locale: Locale): string {
  if (locale !== 'ar') return parts.join(' · ')
  return `\u200f${parts.map((part) => `\u2068${part}\u2069`).join(' · ')}`
}

/** `viewer, support`, with the comma of the language. */
export function inList(words: readonly string[], locale: Locale): string {
  return words.join(locale === 'ar' ? '، ' : ', ')
}

/** `Pro · 12 months`. */
export function planAndTerm(plan: { readonly name: string }, months: number, locale: Locale): string {
  return inParts([planName(plan.name, locale), termInWords(months, locale)], locale)
}

/** `Pro · 12 months`, `Pro · plan change`, or the word for a top-up. */
export function paidForInWords(
  of: PaidFor<{ readonly name: string }>,
  locale: Locale,
  join = inParts,
): string {
  const { topUp, planChange } = CATALOGS[locale].page
  if (of.kind === 'top_up') return topUp
  const bought = of.kind === 'change' ? planChange : termInWords(of.months, locale)
  return join([planName(of.plan.name, locale), bought], locale)
}

/** Plain text for the provider's page: no mark of direction, which it could show as a sign. */
export function plainPaidFor(of: PaidFor<{ readonly name: string }>, locale: Locale): string {
  return paidForInWords(of, locale, (parts) => parts.join(' · '))
}

const daysIn = (timeZone: string) =>
  byLocale((locale) => {
    const format = new Intl.DateTimeFormat(TAGS[locale], { dateStyle: 'long', timeZone })
    return (instant: Instant) => dated(format.format(instant), locale)
  })

export function createFormats(timeZone: string) {
  // Made once: building an Intl format takes some 50 µs, using it 1 µs.
  const numbers = byLocale((locale) => ungrouped(TAGS[locale], { maximumFractionDigits: 1 }))
  const [days, dates] = [daysIn(timeZone), daysIn('UTC')]
  const isoDays = new Intl.DateTimeFormat('en-CA', { timeZone })
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone } as const
  const times = byLocale((locale) => new Intl.DateTimeFormat(TAGS[locale], clock))
  const date = { day: 'numeric', month: 'long', year: 'numeric' } as const
  const moments = byLocale((locale) => new Intl.DateTimeFormat(TAGS[locale], { ...date, ...clock }))
  const months = byLocale(
    (locale) => new Intl.DateTimeFormat(TAGS[locale], { month: 'long', year: 'numeric', timeZone }),
  )
  const units = byLocale(unitsIn)
  const lasting = (ms: number, locale: Locale, round: (count: number) => number) => {
    const { day, hour, minute } = units[locale]
    if (ms >= DAY) return grouped(day, round(ms / DAY))
    if (ms >= HOUR) return grouped(hour, round(ms / HOUR))
    return grouped(minute, Math.max(1, round(ms / MINUTE)))
  }
  const money = (amount: number, locale: Locale) => withCentimes(numbers[locale], amount * 100, locale)
  return {
    /** `2 000 DA`: whole dinars. */
    money,
    /** `+2 000 DA`, `−2 000 DA`: whole dinars added or removed. */
    moved: (amount: number, locale: Locale) => withCentimes(numbers[locale], amount * 100, locale, '+'),
    /** `2 000 DA`, `451,50 DA`: with centimes if there are any, as on receipts, the same in all languages. */
    centimes: (centimes: number, locale: Locale) => withCentimes(numbers[locale], centimes, locale),
    /** `1 980 DA (2 000 DA asked for)`: the amount paid, and the amount asked for if it differs. */
    amountPaid: ({ price, amountAsked }: Pick<Payment, 'price' | 'amountAsked'>, locale: Locale) => {
      const amount = money(price.amount, locale)
      if (amountAsked === null) return amount
      const text = CATALOGS[locale].portal.cameFor
      return fill({ key: 'cameFor', text, locale }, { amount, asked: money(amountAsked, locale) })
    },
    /** `5 120` */
    number: (count: number, locale: Locale) => grouped(numbers[locale], count),
    /** `21 December 2026` */
    day: (instant: Instant, locale: Locale) => days[locale](instant),
    /** The same of a date such as `2026-12-21`, which has no zone. */
    date: (date: string, locale: Locale) => dates[locale](Date.parse(date)),
    /** `December 2026` */
    month: (instant: Instant, locale: Locale) => unbroken(months[locale].format(instant)),
    /** `21 December 2026 at 13:00`. Intl writes `في 13:00` in Arabic, which reads as a place. */
    moment: (instant: Instant, locale: Locale) =>
      locale === 'ar'
        ? `${days.ar(instant)} ${unbroken(`على الساعة ${times.ar.format(instant)}`)}`
        : dated(moments[locale].format(instant), locale).replace(BEFORE_HOUR, '$1 '),
    /** `13:00` */
    time: (instant: Instant, locale: Locale) => times[locale].format(instant),
    /** `30 days`, `5 hours`, `2 minutes`: rounded up, so it is never 0. */
    timeLeft: (ms: number, locale: Locale) => lasting(ms, locale, Math.ceil),
    /** An age in whole units: `2 days` until the third day is over. */
    age: (ms: number, locale: Locale) => lasting(ms, locale, Math.floor),
    /** The usage of a limit in its unit: `5 120`, `300 minutes`, `4.2 GB` of a `max` of `5 GB`. */
    figure: (count: number, unit: LimitDefinition['unit'], locale: Locale, max = count) =>
      unit === 'megabytes'
        ? storageIn(units[locale], count, max)
        : [grouped(numbers[locale], count), ...(unit ? [unit[locale]] : [])].join('\u00a0'),
    /** `2026-12-21`: the day in this zone, as dated settings write it. */
    isoDay: (instant: Instant) => isoDays.format(instant),
  }
}

/** The formats of one language. An instant may also be a timestamp. */
export type Written = ReturnType<typeof writtenIn>

/** Returns null for null. */
type Write<Of> = <Given extends Of | null>(given: Given) => Given extends null ? null : string

export function writtenIn(formats: Formats, locale: Locale) {
  const write = <Of>(format: (of: Of, locale: Locale) => string) =>
    ((given: Of | null) => (given === null ? null : format(given, locale))) as Write<Of>
  const writeAt = (format: (at: Instant, locale: Locale) => string) =>
    write<Instant | string>((of) => {
      if (typeof of === 'number') return format(of, locale)
      return /^\d{4}-\d\d-\d\d$/.test(of) ? date(of, locale) : format(Date.parse(of), locale)
    })
  const { money, moved, centimes, amountPaid, number, day, date, month, moment } = formats
  return {
    ...{ money: write(money), moved: write(moved), centimes: write(centimes), amountPaid: write(amountPaid) },
    ...{ number: write(number), day: writeAt(day), month: writeAt(month), moment: writeAt(moment) },
  }
}

function unitsIn(locale: Locale) {
  const tag = TAGS[locale]
  const unitDisplay = locale === 'ar' ? 'long' : 'short'
  const unit = (name: string, display: 'long' | 'short', maximumFractionDigits = 0) =>
    ungrouped(tag, { style: 'unit', unit: name, unitDisplay: display, maximumFractionDigits })
  return {
    day: unit('day', 'long'),
    hour: unit('hour', 'long'),
    minute: unit('minute', 'long'),
    megabyte: unit('megabyte', unitDisplay),
    gigabyte: unit('gigabyte', unitDisplay, 2),
  }
}

function withCentimes(format: Intl.NumberFormat, centimes: number, locale: Locale, plus = ''): string {
  const positive = Math.abs(centimes)
  const rest = positive % 100 === 0 ? '' : `,${String(positive % 100).padStart(2, '0')}`
  const number = `${grouped(format, Math.floor(positive / 100))}${rest}`
  // Isolated, so that the sign stays on the left of the number in Arabic too.
  const sign = centimes < 0 ? '\u2212' : plus
  const signed = sign === '' ? number : `\u2066${sign}${number}\u2069`
  return `${signed}\u00a0${CATALOGS[locale].page.currency}`
}

/**
 * Rounded down, so that usage below the limit does not look full; above `max` rounded up, so that it does not
 * look as if it fitted. Below a tenth of a gigabyte it has a second digit.
 */
function storageIn(
  units: { readonly megabyte: Intl.NumberFormat; readonly gigabyte: Intl.NumberFormat },
  megabytes: number,
  max: number,
): string {
  if (max < 1024 || max % 512 !== 0) return grouped(units.megabyte, megabytes)
  const gigabytes = megabytes / 1024
  const scale = gigabytes < 0.1 ? 100 : 10
  const rounded = (megabytes > max || gigabytes < 0.01 ? Math.ceil : Math.floor)(gigabytes * scale) / scale
  return grouped(units.gigabyte, rounded)
}

/** Intl writes `1 décembre`, but in French the first of a month is an ordinal. */
function dated(text: string, locale: Locale): string {
  return unbroken(locale === 'fr' ? text.replace(/^1(?= )/, '1er') : text)
}

/** The one place for a line break: on a phone a moment is longer than a line. */
const BEFORE_HOUR = /(\d{4})\u00a0/

/** Keeps a date, or a number with its unit, on one line. */
function unbroken(text: string): string {
  return text.replaceAll(' ', '\u00a0')
}

function ungrouped(tag: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  return new Intl.NumberFormat(tag, { ...options, useGrouping: false })
}

/** Groups are parted by a non-breaking space: Intl's point (ar-DZ) or comma could be read as another sum. */
function grouped(format: Intl.NumberFormat, value: number): string {
  return unbroken(format.format(value).replace(/\B(?=(?:\d{3})+(?!\d))/g, '\u00a0'))
}
