// Malformed requests are answered 4xx, never 5xx.
import { expect, test } from 'vitest'
import { call, emulator, KEY, newCheckout, ORDER } from './support.js'

const BODIES: readonly (readonly [string, Buffer<ArrayBuffer>])[] = [
  ['nothing', Buffer.from('')],
  ['a NUL', Buffer.from('\0')],
  ['broken JSON', Buffer.from('{"amount":')],
  ['a list', Buffer.from('[1,2]')],
  ['a scalar', Buffer.from('null')],
  ['no UTF-8', Buffer.from([0xff, 0xfe, 0x80])],
  ['deep brackets', Buffer.from('['.repeat(50_000) + ']'.repeat(50_000))],
  ['deep metadata', Buffer.from(`{"metadata":${'['.repeat(600)}${']'.repeat(600)}}`)],
  ['a number beyond the range', Buffer.from('{"amount":1e999,"currency":"dzd"}')],
  ['a lone surrogate', Buffer.from(String.raw`{"description":"\ud800","outcome":"\ud800"}`)],
  ['too much', Buffer.alloc(2_000_000, 'x')],
]
const OTHER_TYPES = ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data', '///']

test('a malformed body gets a 4xx everywhere, under every type', async () => {
  const emu = await emulator()
  const { id } = await newCheckout(emu)
  const paths = [
    ...['/checkouts', '/customers', '/payment-links'].map((path) => `/test/api/v2${path}`),
    ...[`/test/checkouts/${id}/pay`, '/_sandbox/faults', '/_sandbox/clock'],
  ]
  const broken: string[] = []
  // As JSON, and as one of the others in turn.
  for (const [n, [name, body]] of BODIES.entries())
    for (const [m, path] of paths.entries())
      for (const type of ['application/json', OTHER_TYPES[(n + m) % OTHER_TYPES.length] ?? '']) {
        const headers = { authorization: `Bearer ${KEY}`, 'content-type': type }
        const { status } = await fetch(emu.url + path, { method: 'POST', headers, body, redirect: 'manual' })
        if (status >= 500) broken.push(`${status} for ${name} at ${path} as ${type}`)
      }
  expect(broken).toEqual([])
  expect(emu.checkouts()).toMatchObject([{ status: 'pending' }])
})

test('text with NULs, quotes and direction marks comes back unchanged', async () => {
  const emu = await emulator()
  const description = 'a\u0000b "c" \\ \u202e \u{1F642} خطة </p>'
  const { id } = await newCheckout(emu, { description, metadata: { 'k\u0000': description } })
  const answer = await call(emu, 'GET', `/checkouts/${id}`)
  expect(answer.body).toMatchObject({ description, metadata: { 'k\u0000': description } })
})

test('a malformed path or amount is answered 4xx', async () => {
  const emu = await emulator()
  const headers = { authorization: `Bearer ${KEY}` }
  const paths = ['/%', '/%00', '/test/checkouts/%ff/pay', '/test/api/v2/checkouts/%zz', '//x']
  for (const path of [...paths, '/_sandbox/deliveries/%00']) {
    const { status } = await fetch(emu.url + path, { headers })
    expect([path, Math.floor(status / 100)]).toEqual([path, 4])
  }
  const wrong = [true, [], {}, [2000], { a: 1 }, '2000.5', '1e3', ' ', 1e300, Number.MAX_SAFE_INTEGER + 1]
  for (const amount of wrong)
    expect((await call(emu, 'POST', '/checkouts', { ...ORDER, amount })).status, String(amount)).toBe(422)
})
