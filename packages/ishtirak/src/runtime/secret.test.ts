import { expect, it } from 'vitest'
import { constantTimeEquals, digestOf, randomToken } from './secret.js'

it.each([
  ['', '', true],
  ['a', 'a', true],
  ['a', 'b', false],
  ['secret', 'secret and more', false],
  ['', 'x', false],
  ['مفتاح', 'مفتاح', true],
])('comparing %j with %j says %s, whatever their lengths', (one, other, same) => {
  expect(constantTimeEquals(one, other)).toBe(same)
})

it('a random token is URL-safe and never the same', () => {
  const tokens = Array.from({ length: 100 }, () => randomToken())
  expect(new Set(tokens).size).toBe(100)
  for (const token of tokens) expect(token).toMatch(/^[\w-]{43}$/) // 32 bytes * 8 / 6 = 42.7
})

it('a digest differs for two secrets and shows neither', () => {
  expect(digestOf('live_sk_one')).toMatch(/^[\w-]{43}$/)
  expect(digestOf('live_sk_one')).toBe(digestOf('live_sk_one'))
  expect(digestOf('live_sk_one')).not.toBe(digestOf('live_sk_two'))
})
