// Which language the caller reads, from `Accept-Language` (RFC 9110, section 12.5.4): the best of Arabic, French, English.
// It never refuses: who asks for a language that we do not speak gets the fallback.
import { type Locale, localeOf } from '../core/locale.js'

/** Longer headers are cut: no browser sends that many languages, and sorting them would be work for nothing. */
const LONGEST_HEADER = 256

/** English is the fallback for programs; pages for people hand in their own. */
export function preferredLocale(header: string | undefined, fallback: Locale = 'en'): Locale {
  if (!header) return fallback
  const [best] = header
    .slice(0, LONGEST_HEADER)
    .split(',')
    .flatMap((range) => readRange(range, fallback))
    .filter(({ quality }) => quality > 0)
    // Sorting is stable: of equal qualities the first named wins.
    .sort((one, other) => other.quality - one.quality)
  return best?.locale ?? fallback
}

function readRange(range: string, fallback: Locale): { locale: Locale; quality: number }[] {
  const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
  const locale = tag === '*' ? fallback : localeOf(tag)
  if (!locale) return []
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  // A quality that is no number counts as "not wanted".
  return [{ locale, quality: quality === undefined ? 1 : Number(quality) || 0 }]
}
