import { expect, test } from 'vitest'
import { call, emulator, KEY, newCheckout, ORDER } from './support.js'

const BODIES: readonly (readonly [string, Buffer<ArrayBuffer>])[] = [
  ['a NUL', Buffer.from('\0')],
  ['broken JSON', Buffer.from('{"amount":')],
  ['a scalar', Buffer.from('null')],
  ['no UTF-8', Buffer.from([0xff, 0xfe, 0x80])],
  ['deep brackets', Buffer.from('['.repeat(50_000) + ']'.repeat(50_000))],
  ['deep metadata', Buffer.from(`{"metadata":${'['.repeat(600)}${']'.repeat(600)}}`)],
  ['a number beyond the range', Buffer.from('{"amount":1e999,"currency":"dzd"}')],
  ['a lone surrogate', Buffer.from(String.raw`{"description":"\ud800","outcome":"\ud800"}`)],
  ['too much', Buffer.alloc(2_000_000, 'x')],
]

test('a malformed body, path or amount gets a 4xx', async () => {
  const emu = await emulator()
  const { id } = await newCheckout(emu)
  const broken: string[] = []
  for (const path of ['/test/api/v2/checkouts', `/test/checkouts/${id}/pay`, '/_sandbox/faults'])
    for (const type of ['application/json', 'application/x-www-form-urlencoded', '///'])
      for (const [name, body] of BODIES) {
        const headers = { authorization: `Bearer ${KEY}`, 'content-type': type }
        const { status } = await fetch(emu.url + path, { method: 'POST', headers, body, redirect: 'manual' })
        if (status >= 500) broken.push(`${status} for ${name} at ${path} as ${type}`)
      }
  expect(broken).toEqual([])
  expect(emu.checkouts()).toMatchObject([{ status: 'pending' }])
  for (const path of ['/%', '/test/checkouts/%ff/pay', '/test/api/v2/checkouts/%zz', '//x']) {
    const { status } = await fetch(emu.url + path, { headers: { authorization: `Bearer ${KEY}` } })
    expect([path, Math.floor(status / 100)]).toEqual([path, 4])
  }
  for (const amount of [true, [2000], { a: 1 }, '2000.5', '1e3', ' ', Number.MAX_SAFE_INTEGER + 1])
    expect((await call(emu, 'POST', '/checkouts', { ...ORDER, amount })).status, String(amount)).toBe(422)
})

test('text with NULs, quotes and direction marks comes back unchanged', async () => {
  const emu = await emulator()
  const description = 'a\u0000b "c" \\ \u202e \u{1F642} خطة </p>'
  const { id } = await newCheckout(emu, { description, metadata: { 'k\u0000': description } })
  const answer = await call(emu, 'GET', `/checkouts/${id}`)
  expect(answer.body).toMatchObject({ description, metadata: { 'k\u0000': description } })
})
