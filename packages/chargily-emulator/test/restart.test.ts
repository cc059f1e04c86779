// An instance that is left without `close`, on a clock that stands still, does nothing more.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { EmulatorError, startEmulator } from '../src/emulator.js'
import { call, emulator, KEY, ManualClock, merchant, newCheckout, payAtPage } from './support.js'

const newStateFile = () => path.join(temporaryFolder(), 'state')

test('an event still owed at the kill is delivered after the next start', async () => {
  const shop = await merchant()
  const options = { stateFile: newStateFile(), webhookEndpoint: shop.url }
  const killed = await emulator({ ...options, clock: new ManualClock() })
  killed.setFaults({ delay: { seconds: 60 } })
  const checkout = await newCheckout(killed)
  expect((await payAtPage(checkout.checkout_url, { outcome: 'paid' })).status).toBe(303)
  expect(shop.received).toHaveLength(0)
  const next = await emulator({ ...options, clock: new ManualClock() })
  await next.advance(60)
  expect(shop.received.map(({ body }) => JSON.parse(body).data.id)).toEqual([checkout.id])
  expect(next.checkouts()).toMatchObject([{ id: checkout.id, status: 'paid' }])
})

test('attempts made before a restart count, and the next has the same bytes', async () => {
  const shop = await merchant()
  shop.respondWith = 500
  const options = { stateFile: newStateFile(), webhookEndpoint: shop.url }
  const killed = await emulator({ ...options, clock: new ManualClock() })
  await killed.pay((await newCheckout(killed)).id, 'paid')
  await killed.advance(10)
  const next = await emulator({
    ...options,
    clock: new ManualClock(killed.deliveries()[0]?.next_attempt_at_ms ?? 0),
  })
  await next.settled()
  expect(next.deliveries()).toMatchObject([{ state: 'failed', attempts: [{}, {}, {}] }])
  expect(new Set(shop.received.map(({ body, headers }) => body + headers.signature)).size).toBe(1)
})

test('records of another emulator are kept beside its own: what is open can be paid, or ends', async () => {
  const clock = new ManualClock()
  const other = await emulator({ clock: new ManualClock() })
  const [paid, open, left] = [await newCheckout(other), await newCheckout(other), await newCheckout(other)]
  await other.pay(paid.id, 'paid')
  const stateFile = newStateFile()
  const first = await emulator({ stateFile, clock })
  const own = await newCheckout(first)
  first.add({ customers: other.customers(), checkouts: other.checkouts() })
  await first.pay(open.id, 'paid')
  await first.advance(1_800)
  const statuses = { [own.id]: 'expired', [paid.id]: 'paid', [open.id]: 'paid', [left.id]: 'expired' }
  expect(first.customers()).toEqual(expect.arrayContaining([...other.customers()]))
  for (const one of [first, await emulator({ stateFile, clock })])
    expect(Object.fromEntries(one.checkouts().map(({ id, status }) => [id, status]))).toEqual(statuses)
})

test('every kind of resource is restored, and what was deleted is not', async () => {
  const stateFile = newStateFile()
  const first = await emulator({ stateFile })
  const create = async (path: string, body: unknown) =>
    (await call(first, 'POST', path, body)).body as { id: string }
  const customer = await create('/customers', { name: 'Amine', metadata: { k: 'v' } })
  const gone = await create('/customers', { name: 'Gone' })
  const product = await create('/products', { name: 'Pro' })
  const price = await create('/prices', { amount: 2000, currency: 'dzd', product_id: product.id })
  const items = [{ price: price.id, quantity: 1 }]
  const link = await create('/payment-links', { name: 'Link', items })
  const checkout = await create('/checkouts', { items, success_url: 'https://a.example.dz/' })
  await call(first, 'DELETE', `/customers/${gone.id}`)
  const next = await emulator({ stateFile, publicUrl: first.url })

  const kept = {
    customers: customer,
    products: product,
    prices: price,
    'payment-links': link,
    checkouts: checkout,
  }
  for (const [kind, resource] of Object.entries(kept))
    expect((await call(next, 'GET', `/${kind}/${resource.id}`)).body, kind).toEqual(resource)
  expect((await call(next, 'GET', `/customers/${gone.id}`)).status).toBe(404)
})

test("a moved clock of the emulator's own is restored", async () => {
  const stateFile = newStateFile()
  const clock = { now: () => 1_700_000_000_000 }
  const first = await emulator({ stateFile, clock })
  await first.advance(86_400)
  const next = await emulator({ stateFile, clock })
  const checkout = await newCheckout(next)
  expect(checkout).toMatchObject({ created_at: 1_700_086_400 }) // 1,700,000,000 + 86,400
})

test('a line torn by the kill is ignored, and each record has one line after the next start', async () => {
  const stateFile = newStateFile()
  const first = await emulator({ stateFile })
  const { id } = await newCheckout(first)
  await first.pay(id, 'failed')
  appendFileSync(stateFile, '[{"put":{"checkouts":{"id":"01tor')
  const next = await emulator({ stateFile })
  expect(next.checkouts()).toMatchObject([{ id }])
  expect(readFileSync(stateFile, 'utf8').trim().split('\n')).toHaveLength(2) // the format and the checkout
})

test('a file of another program, or a damaged one, fails the start and stays unchanged', async () => {
  const stateFile = newStateFile()
  for (const content of ['another file\n', 'x', '{"format":"chargily-emulator/1"}\nnot json\n[]\n']) {
    writeFileSync(stateFile, content)
    await expect(startEmulator({ secretKeys: [KEY], stateFile })).rejects.toThrow(EmulatorError)
    expect(readFileSync(stateFile, 'utf8')).toBe(content)
  }
})
