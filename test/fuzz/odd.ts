import type { SeededRandom } from '../support/random.js'

const INSTANTS = [
  '0000-01-01',
  '0000-01-01T00:00:00Z',
  '1969-12-31',
  '2026-02-30',
  '9999-12-31T23:59:59Z',
  '+030489-01-01T00:00:00Z',
  '30489-01-01',
]
const NUMBERS = ['-1', '0', '1.5', '1e309', 'NaN', '9007199254740993', '99999999999999999999', '0x10']
const TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\u0001',
  '\u0085',
  'two\nlines',
  '\ud800',
  'a\udc00',
  '😀',
  '\u202eabc',
  '\ufeff',
  'e\u0301',
  'اشتراك',
  '__proto__',
  'constructor',
  "';drop table payments;--",
  '../../etc/passwd',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '%00',
  '%',
  '=1+1',
  'null',
]
const LENGTHS = [100, 127, 128, 129, 200, 255, 256, 501, 3_000]

export function oddText(random: SeededRandom): string {
  const kind = random.between(0, 9)
  if (kind === 0) return random.pick(INSTANTS)
  if (kind === 1) return random.pick(NUMBERS)
  if (kind === 2) return random.pick(['x', ' ', '😀', 'ع', '\u0001']).repeat(random.pick(LENGTHS))
  if (kind === 3) return oddCursor(random)
  if (kind === 4) return Buffer.from(random.bytes(random.between(1, 40))).toString('latin1')
  return random.pick(TEXTS)
}

/** In the form of ours, at an instant that may be none. */
function oddCursor(random: SeededRandom): string {
  const at = random.pick([
    '0',
    '-1',
    '253402300800000',
    '900000000000000',
    '999999999999999',
    '1795262400000',
  ])
  const id = random.pick(['pay_00000000000000000000000000', 'pay_zzzzzzzzzzzzzzzzzzzzzzzzzz', 'pay_', "'"])
  return Buffer.from(`${at}.${id}`).toString('base64url')
}

export function oddValue(random: SeededRandom, depth = 0): unknown {
  const kind = random.between(0, depth > 2 ? 6 : 8)
  if (kind <= 3) return oddText(random)
  if (kind === 4) return random.pick([null, true, false])
  if (kind <= 6) return random.pick([-1, 0, -0, 1.5, 1e308, -1e308, 2 ** 31, 2 ** 53, 1_000_001])
  const inner = Array.from({ length: random.between(0, 3) }, () => oddValue(random, depth + 1))
  return kind === 7 ? inner : Object.fromEntries(inner.map((value) => [oddText(random), value]))
}

const BROKEN: readonly (string | Uint8Array)[] = [
  '',
  '{',
  '{"plan":',
  'pro',
  '1e400',
  '"\\ud800"',
  '{"__proto__":{"a":1}}',
  '[['.repeat(10_000),
  'x'.repeat(70_000),
  Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d),
  '\ufeff{}',
  '{"why":"\\u0000"}',
]

/** What was meant to be sent, or something broken in its place. */
export function bodyOf(random: SeededRandom, meant: unknown): string | Uint8Array {
  const kind = random.between(0, 9)
  if (kind === 0) return random.pick(BROKEN)
  const text = JSON.stringify(meant) ?? ''
  if (kind === 1) return text.slice(0, random.between(0, text.length))
  return text
}

const HEADERS: readonly (readonly [string, readonly string[]])[] = [
  ['accept-language', ['fr', 'ar-DZ,fr;q=0.9', '*', ';;;=', 'x'.repeat(500), 'en;q=nan']],
  ['x-request-id', ['one', 'a b', 'x'.repeat(65), '<script>']],
  [
    'content-type',
    ['text/plain', 'application/json; charset=utf-16', ';', 'application/xml', 'multipart/form-data'],
  ],
  ['content-encoding', ['gzip', 'identity', 'x']],
  ['expect', ['x', '100-continue']],
  ['if-none-match', ['*', 'W/"x"', '"', ','.repeat(200)]],
  ['cookie', ['ishtirak=x', 'ishtirak=%', '=;=;=', 'ishtirak_lang=fr', `a=${'x'.repeat(2_000)}`]],
  ['x-forwarded-for', ['1.2.3.4', 'not an address', '::1, 10.0.0.1']],
  ['range', ['bytes=0-1']],
  ['origin', ['null', 'https://evil.example']],
  ['sec-fetch-site', ['cross-site', 'same-origin', 'none']],
  ['sec-purpose', ['prefetch']],
  ['signature', ['0'.repeat(64), 'z', '']],
  ['accept', ['text/html', 'image/*', ';']],
]

export function oddHeaders(random: SeededRandom): Record<string, string> {
  const chosen = HEADERS.filter(() => random.boolean(0.08))
  return Object.fromEntries(chosen.map(([name, values]) => [name, random.pick(values)]))
}
