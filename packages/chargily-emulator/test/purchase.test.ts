// The thread through everything: a checkout is made, paid at its page, and the merchant is told in signed bytes.
import { createHmac } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { emulator, KEY, merchant, newCheckout, payAtPage } from './support.js'

test('a payer is sent back with the checkout id, and the merchant hears a signed event', async () => {
  const shop = await merchant()
  const emu = await emulator({ webhookEndpoint: shop.url })
  const checkout = await newCheckout(emu, { metadata: { payment_id: 'pay_1' } })

  const back = await payAtPage(checkout.checkout_url, { payment_method: 'cib', outcome: 'paid' })

  expect(back.status).toBe(303)
  expect(back.headers.get('location')).toBe(`https://app.example.dz/ok?checkout_id=${checkout.id}`)
  await vi.waitFor(() => expect(shop.heard).toHaveLength(1))
  const [event] = shop.heard
  expect(event?.headers.signature).toBe(
    createHmac('sha256', KEY)
      .update(event?.body ?? '')
      .digest('hex'),
  )
  expect(JSON.parse(event?.body ?? '')).toMatchObject({
    entity: 'event',
    type: 'checkout.paid',
    livemode: false,
    data: {
      id: checkout.id,
      status: 'paid',
      amount: 2000,
      payment_method: 'cib',
      metadata: { payment_id: 'pay_1' },
    },
  })
})
