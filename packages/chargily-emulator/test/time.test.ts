import { expect, test } from 'vitest'
import { call, emulator, ManualClock, newCheckout, payAtPage, START_MS, withMerchant } from './support.js'

test('an unpaid checkout expires 30 minutes after its creation, and an event is sent', async () => {
  const { shop, emu } = await withMerchant({ clock: new ManualClock() })
  const { id } = await newCheckout(emu)
  const paid = await newCheckout(emu, { webhook_endpoint: 'http://127.0.0.1:1/' })
  await emu.pay(paid.id, 'paid')
  await emu.advance(1799) // 30 × 60 - 1
  expect((await call(emu, 'GET', `/checkouts/${id}`)).body).toMatchObject({ status: 'pending' })
  await emu.advance(1)
  const at = START_MS / 1000 + 1800
  const expired = { status: 'expired', updated_at: at }
  expect((await call(emu, 'GET', `/checkouts/${id}`)).body).toMatchObject(expired)
  expect(shop.received.map(({ body }) => JSON.parse(body))).toMatchObject([
    { type: 'checkout.expired', created_at: at, data: { id, status: 'expired' } },
  ])
  const statusOfPaid = emu.checkouts().find(({ id }) => id === paid.id)
  expect(statusOfPaid).toMatchObject({ status: 'paid', paid_at: START_MS / 1000 })
})

test('a clock moved from outside expires what is due, before the next payment or by itself', async () => {
  const clock = new ManualClock()
  const emu = await emulator({ clock })
  const { id, checkout_url } = await newCheckout(emu)
  clock.advance(1_800_000)
  expect((await payAtPage(checkout_url, { outcome: 'paid' })).status).toBe(409)
  await expect(emu.pay(id, 'paid')).rejects.toThrow('expired')
  await newCheckout(emu)
  clock.advance(1_800_000)
  await expect.poll(() => emu.checkouts()).toMatchObject([{ status: 'expired' }, { status: 'expired' }])
})

test('two calls of advance at once add up, and a clock that cannot be moved gets an offset', async () => {
  const clock = new ManualClock()
  const emu = await emulator({ clock })
  await Promise.all([emu.advance(3600), emu.advance(3600)])
  expect(clock.now()).toBe(START_MS + 7_200_000)
  const fixed = await emulator({ clock: { now: () => START_MS } })
  await newCheckout(fixed)
  await fixed.advance(1800)
  expect(fixed.checkouts()).toMatchObject([{ status: 'expired' }])
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
