// What is read off any request: its id, its path, its reader's language. Nothing here refuses.
import type { IncomingHttpHeaders } from 'node:http'
import { type Locale, localeOf } from '../core/locale.js'
import { randomToken } from '../runtime/secret.js'

const processId = randomToken(9)
let requests = 0

/** The caller's id where it is harmless in a log and a header, else one of ours. */
export function requestIdOf(request: { readonly headers: IncomingHttpHeaders }): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : newRequestId()
}

/** The process and a running number: it need not be secret, and a random one costs 7 µs. */
export function newRequestId(): string {
  requests += 1
  return `${processId}-${requests.toString(36)}`
}

/** Without the query, which may hold tokens. */
export function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

/** Longer headers are cut: no browser sends that many languages. */
const LONGEST_LANGUAGES = 256

/** The best of our languages in `Accept-Language` (RFC 9110, section 12.5.4). Programs get English, pages name their own. */
export function preferredLocale(header: string | undefined, fallback: Locale = 'en'): Locale {
  if (!header) return fallback
  const [best] = header
    .slice(0, LONGEST_LANGUAGES)
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
