// Time: a checkout expires after 30 minutes, and the clock can be moved.
import { expect, test } from 'vitest'
import {
  call,
  emulator,
  ManualClock,
  newCheckout,
  payAtPage,
  START_MS,
  sandbox,
  withMerchant,
} from './support.js'

test('an unpaid checkout expires 30 minutes after its creation, and an event is sent', async () => {
  const { shop, emu } = await withMerchant({ clock: new ManualClock() })
  const { id } = await newCheckout(emu)

  await emu.advance(1799) // 30 × 60 - 1
  expect((await call(emu, 'GET', `/checkouts/${id}`)).body).toMatchObject({ status: 'pending' })
  await emu.advance(1)

  const at = START_MS / 1000 + 1800
  expect((await call(emu, 'GET', `/checkouts/${id}`)).body).toMatchObject({
    status: 'expired',
    updated_at: at,
  })
  expect(shop.received.map(({ body }) => JSON.parse(body))).toMatchObject([
    { type: 'checkout.expired', created_at: at, data: { id, status: 'expired' } },
  ])
})

test('a clock moved from outside expires what is due before the next payment', async () => {
  const clock = new ManualClock()
  const emu = await emulator({ clock })
  const { id, checkout_url } = await newCheckout(emu)
  clock.advance(1_800_000)
  expect((await payAtPage(checkout_url, { outcome: 'paid' })).status).toBe(409)
  await expect(emu.pay(id, 'paid')).rejects.toThrow('expired')
})

test('a checkout expires without any request', async () => {
  const clock = new ManualClock()
  const emu = await emulator({ clock })
  await newCheckout(emu)
  clock.advance(1_800_000)
  await expect.poll(() => emu.checkouts()).toMatchObject([{ status: 'expired' }])
})

test('a paid checkout does not expire', async () => {
  const emu = await emulator({ clock: new ManualClock() })
  const { id } = await newCheckout(emu)
  await emu.pay(id, 'paid')
  await emu.advance(7200)
  expect(emu.checkouts()).toMatchObject([{ status: 'paid', paid_at: START_MS / 1000 }])
})

test('/_sandbox/clock moves the clock that was given', async () => {
  const clock = new ManualClock()
  const emu = await emulator({ clock })
  const { body } = await sandbox(emu, 'POST', '/clock', { advance_seconds: 86_400 })
  expect(body).toEqual({ now: '2023-11-15T22:13:20.000Z' })
  expect(clock.now()).toBe(START_MS + 86_400_000)
})

test('a clock that cannot be moved gets an offset', async () => {
  const emu = await emulator({ clock: { now: () => START_MS } })
  await newCheckout(emu)
  await emu.advance(1800)
  expect(emu.checkouts()).toMatchObject([{ status: 'expired' }])
})

test('two calls of advance at once add up', async () => {
  const clock = new ManualClock()
  const emu = await emulator({ clock })
  await Promise.all([emu.advance(3600), emu.advance(3600)])
  expect(clock.now()).toBe(START_MS + 7_200_000)
})

test('closing ends an advance that is under way', async () => {
  const { shop, emu } = await withMerchant({ clock: new ManualClock() })
  emu.setFaults({ delay: { seconds: 10 } })
  await emu.pay((await newCheckout(emu)).id, 'paid')
  shop.respondWith = 'silent'
  const moved = emu.advance(3600)
  await expect.poll(() => shop.received).toHaveLength(1)
  await emu.close()
  await moved
  expect(shop.received).toHaveLength(1)
})
