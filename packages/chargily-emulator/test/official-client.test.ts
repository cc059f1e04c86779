// The emulator with Chargily's own JavaScript SDK, from npm, unchanged.
import { ChargilyClient, verifySignature } from '@chargily/chargily-pay'
import { emulator, KEY, merchant, payAtPage } from './support.js'

const realFetch = globalThis.fetch
let emulatorUrl = ''

// The SDK has its address as a constant and calls the global `fetch`: only the host is changed.
beforeEach(() => {
  globalThis.fetch = (input, init) =>
    realFetch(String(input).replace('https://pay.chargily.net', emulatorUrl), init)
})

afterEach(() => {
  globalThis.fetch = realFetch
})

async function client(options: Parameters<typeof emulator>[0] = {}) {
  const emu = await emulator(options)
  emulatorUrl = emu.url
  return { emu, chargily: new ChargilyClient({ api_key: KEY, mode: 'test' }) }
}

test('creates, reads, lists and deletes customers', async () => {
  const { chargily } = await client()
  const address = { country: 'dz', state: 'Alger', address: '1, rue Didouche' }
  const customer = await chargily.createCustomer({ name: 'Amine', email: 'a@example.dz', address })
  expect(await chargily.getCustomer(customer.id)).toEqual(customer)
  expect(customer).toMatchObject({ entity: 'customer', livemode: false, name: 'Amine', phone: null, address })
  const list = await chargily.listCustomers()
  const { livemode: _, ...listed } = customer
  expect(list).toMatchObject({ livemode: false, total: 1, data: [listed] })
  expect(list.data[0]).not.toHaveProperty('livemode')
  expect(await chargily.deleteCustomer(customer.id)).toMatchObject({ id: customer.id, deleted: true })
  await expect(chargily.getCustomer(customer.id)).rejects.toThrow('404')
  // The SDK sends PATCH, which production refuses too.
  await expect(chargily.updateCustomer(customer.id, { name: 'Yacine' })).rejects.toThrow('405')
})

test('creates products and prices, and a checkout of items', async () => {
  const { chargily } = await client()
  const product = await chargily.createProduct({ name: 'Pro', metadata: { plan: 'pro' } })
  const updated = await chargily.updateProduct(product.id, { description: 'Ten projects' })
  expect(updated).toMatchObject({ name: 'Pro', description: 'Ten projects', metadata: { plan: 'pro' } })
  const price = await chargily.createPrice({ amount: 2000, currency: 'dzd', product_id: product.id })
  expect(await chargily.getPrice(price.id)).toEqual(price)
  expect((await chargily.updatePrice(price.id, { metadata: { k: 'v' } })).metadata).toEqual({ k: 'v' })
  expect((await chargily.getProductPrices(product.id)).data).toMatchObject([{ id: price.id, amount: 2000 }])
  expect((await chargily.listPrices()).total).toBe(1)
  expect((await chargily.listProducts()).data).toMatchObject([{ id: product.id, livemode: false }])
  const items = [{ price: price.id, quantity: 3 }]
  const checkout = await chargily.createCheckout({ items, success_url: 'https://app.example.dz/ok' })
  expect(checkout.amount).toBe(6000) // 3 × 2000
  expect((await chargily.getCheckoutItems(checkout.id)).data).toMatchObject([
    { id: price.id, entity: 'price', quantity: 3, amount: 2000, product_id: product.id },
  ])
  expect((await chargily.deleteProduct(product.id)).deleted).toBe(true)
  await expect(chargily.getProduct(product.id)).rejects.toThrow('404')
})

test('creates, lists and expires checkouts, and reads the balance', async () => {
  const { chargily, emu } = await client()
  const order = { amount: 2000, currency: 'dzd', success_url: 'https://app.example.dz/ok' }
  const checkout = await chargily.createCheckout(order)
  expect((await chargily.listCheckouts()).data).toEqual([await chargily.getCheckout(checkout.id)])
  expect(await chargily.expireCheckout(checkout.id)).toMatchObject({ status: 'expired' })
  await emu.pay((await chargily.createCheckout(order)).id, 'paid')
  const wallet = { currency: 'dzd', balance: 2000, ready_for_payout: '2000' }
  expect((await chargily.getBalance()).wallets[0]).toMatchObject(wallet)
})

test('creates a payment link, each visit of which opens a checkout', async () => {
  const { chargily } = await client()
  const product = await chargily.createProduct({ name: 'Pro' })
  const price = await chargily.createPrice({ amount: 500, currency: 'dzd', product_id: product.id })
  const link = await chargily.createPaymentLink({
    name: 'Pro',
    items: [{ price: price.id, quantity: 2, adjustable_quantity: true }],
    after_completion_message: 'Shukran',
  })
  expect(await chargily.getPaymentLink(link.id)).toEqual(link)
  expect((await chargily.getPaymentLinkItems(link.id)).data).toMatchObject([
    { quantity: 2, adjustable_quantity: 1 },
  ])
  expect((await chargily.listPaymentLinks()).total).toBe(1)
  const visits = [await realFetch(link.url), await realFetch(link.url)]

  expect(new Set(visits.map(({ url }) => url)).size).toBe(2)
  expect((await chargily.listCheckouts()).data).toMatchObject([
    { amount: 1000, payment_link_id: link.id },
    { amount: 1000, payment_link_id: link.id },
  ])
  await payAtPage(visits[0]?.url ?? '', { outcome: 'paid' })
  expect(await (await realFetch(visits[0]?.url ?? '')).text()).toContain('Shukran')
  await chargily.updatePaymentLink(link.id, { name: 'Closed' })
  expect((await chargily.getPaymentLink(link.id)).name).toBe('Closed')
})

test.each(['wire-2026', 'docs'] as const)(
  'accepts the signature of a %s event, and no other',
  async (dialect) => {
    const shop = await merchant()
    const { chargily, emu } = await client({ webhookEndpoint: shop.url, dialect })
    const checkout = await chargily.createCheckout({
      amount: 2000,
      currency: 'dzd',
      description: 'خطة pro',
      success_url: 'https://app.example.dz/ok',
    })
    await emu.pay(checkout.id, 'paid', 'edahabia')
    await emu.settled()
    const body = Buffer.from(shop.received[0]?.body ?? '')
    const signature = String(shop.received[0]?.headers.signature)
    expect(verifySignature(body, signature, KEY)).toBe(true)
    expect(() => verifySignature(Buffer.from(`${body} `), signature, KEY)).toThrow('invalid')
    expect(() => verifySignature(body, signature, `${KEY}x`)).toThrow('invalid')
  },
)
