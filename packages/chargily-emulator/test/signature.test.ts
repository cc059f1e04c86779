// The signed bytes. The vector is the published one: made with PHP's escapes, checked with openssl.
import { expect, test } from 'vitest'
import { VECTOR_BODY, VECTOR_KEY, VECTOR_SIGNATURE } from '../../../test/support/vector.js'
import { sign } from '../src/api-keys.js'
import { encodeWireEvent } from '../src/event.js'
import { encodePhpJson, inMysqlOrder } from '../src/php-json.js'

test('the published vector has the published signature', () => {
  expect(Buffer.byteLength(VECTOR_BODY)).toBe(972)
  expect(sign(VECTOR_BODY, VECTOR_KEY)).toBe(VECTOR_SIGNATURE)
})

test("the vector's data, in any order, is encoded to the vector's bytes", () => {
  const { id, data } = JSON.parse(VECTOR_BODY)
  const shuffled = Object.fromEntries(Object.entries<never>(data).reverse())
  const event = { id, type: 'checkout.paid', at: 1_700_000_015, livemode: false, data: shuffled } as const
  expect(encodeWireEvent(event)).toBe(VECTOR_BODY)
})

test('JSON is escaped and ordered as PHP and MySQL do it', () => {
  expect(encodePhpJson('a/b "é" \u{1F642}\n\u0001')).toBe(String.raw`"a\/b \"\u00e9\" \ud83d\ude42\n\u0001"`)
  expect(encodePhpJson({ metadata: {}, list: [{}] })).toBe('{"metadata":[],"list":[[]]}')
  // Keys are sorted by their length in bytes, then by their bytes; é is two bytes.
  const sorted = inMysqlOrder({ long: 1, é: 2, z: [{ bb: 1, a: 2 }], B: 3, ab: 4 })
  expect(JSON.stringify(sorted)).toBe('{"B":3,"z":[{"a":2,"bb":1}],"ab":4,"é":2,"long":1}')
  expect(encodePhpJson(inMysqlOrder(JSON.parse('{"__proto__":{"a":1}}')))).toBe('{"__proto__":{"a":1}}')
})
