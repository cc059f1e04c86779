import { constantTimeEquals, randomToken } from './secret.js'

it('secrets are compared whole, whatever their lengths', () => {
  for (const text of ['', 'a', 'مفتاح']) expect(constantTimeEquals(text, text)).toBe(true)
  for (const other of ['b', 'a and more', '']) expect(constantTimeEquals('a', other)).toBe(false)
})

it('a random token is URL-safe and never the same', () => {
  const tokens = Array.from({ length: 100 }, () => randomToken())
  expect(new Set(tokens).size).toBe(100)
  for (const token of tokens) expect(token).toMatch(/^[\w-]{43}$/) // 32 bytes * 8 / 6 = 42.7
})
