// The pages of payment and of the root: their languages, and what a browser or a script may post.
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { answerOf, emulator, KEY, newCheckout, payAtPage, withMerchant } from './support.js'

const read = async (url: string) => answerOf(await fetch(url))

test.each([
  ['ar', 'rtl', 'بيئة تجريبية · لا بطاقة حقيقية', '2\u00a0000\u00a0دج'],
  ['fr', 'ltr', 'Simulation · ni vraie carte', '2\u00a0000\u00a0DA'],
  ['en', 'ltr', 'Sandbox · no real card, no real money', '2\u00a0000\u00a0DA'],
])('the payment page in %s, in its direction', async (locale, direction, sandbox, amount) => {
  const emu = await emulator({ account: { name: 'Hosting' } })
  const { checkout_url } = await newCheckout(emu, { locale })
  const page = await read(checkout_url)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.text).toContain(`<html lang="${locale}" dir="${direction}">`)
  for (const words of [sandbox, amount, 'Hosting', 'value="edahabia"', 'value="cib"'])
    expect(page.text).toContain(words)
  for (const outcome of ['paid', 'failed', 'canceled']) expect(page.text).toContain(`value="${outcome}"`)
})

test("`?lang=` chooses the language; the default is the checkout's", async () => {
  const emu = await emulator()
  const { checkout_url } = await newCheckout(emu, { locale: 'fr' })
  expect((await read(`${checkout_url}?lang=ar`)).text).toContain('<html lang="ar" dir="rtl">')
  expect((await read(`${checkout_url}?lang=xx`)).text).toContain('<html lang="fr" dir="ltr">')
})

test('what merchants write is escaped', async () => {
  const emu = await emulator({ account: { name: '<b>Shop</b>' } })
  const { checkout_url } = await newCheckout(emu, { description: '<script>alert(1)</script>' })
  const { text, headers } = await read(checkout_url)
  expect(text).not.toContain('<script')
  expect(text).not.toContain('<b>Shop')
  expect(text).toContain('&lt;script>alert(1)')
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
})

test('the requested card is preselected, and a discount is shown', async () => {
  const emu = await emulator()
  const { checkout_url } = await newCheckout(emu, {
    payment_method: 'cib',
    amount_discount: 500,
    locale: 'en',
  })
  const { text } = await read(checkout_url)
  expect(text).toMatch(/<input [^>]*value="cib" checked/)
  expect(text).toContain('1\u00a0500\u00a0DA')
  expect(text).toContain('2\u00a0000\u00a0DA')
})

test.each([
  ['paid', 'https://a.example.dz/ok?x=%20y&z=1', 'https://a.example.dz/ok?x=%20y&z=1&checkout_id=ID'],
  ['paid', 'https://a.example.dz/ok?checkout_id=old#top', 'https://a.example.dz/ok?checkout_id=ID#top'],
  ['failed', 'https://a.example.dz/ko', 'https://a.example.dz/ko?checkout_id=ID'],
  ['canceled', 'https://a.example.dz/ko?', 'https://a.example.dz/ko?checkout_id=ID'],
])('%s redirects to %s with the id added', async (outcome, url, target) => {
  const emu = await emulator()
  const urls = outcome === 'paid' ? { success_url: url } : { failure_url: url }
  const checkout = await newCheckout(emu, urls)
  const back = await payAtPage(checkout.checkout_url, { payment_method: 'edahabia', outcome })
  expect(back.status).toBe(303)
  expect(back.headers.get('location')).toBe(target.replace('ID', checkout.id))
})

test('without a failure address the payer is redirected to the page, which shows the outcome', async () => {
  const emu = await emulator()
  const { checkout_url } = await newCheckout(emu, { locale: 'en' })
  const back = await payAtPage(checkout_url, { outcome: 'failed' })
  expect(back.headers.get('location')).toBe(checkout_url)
  expect((await read(checkout_url)).text).toContain('This payment failed')
})

test.each([
  ['paid', 'Ce paiement a été effectué'],
  ['failed', 'Ce paiement a échoué'],
  ['canceled', 'Ce paiement a été annulé'],
] as const)(
  'a %s checkout is final: the page shows it and a second payment is 409',
  async (outcome, words) => {
    const emu = await emulator()
    const { id, checkout_url } = await newCheckout(emu, { locale: 'fr' })
    await emu.pay(id, outcome)
    const page = await read(checkout_url)
    expect(page.text).toContain(words)
    expect(page.text).not.toContain('<form')
    const again = await payAtPage(checkout_url, { outcome: 'paid' })
    expect([again.status, again.text.includes(words)]).toEqual([409, true])
    expect(emu.checkouts()).toMatchObject([{ status: outcome }])
  },
)

test('of five payments at once one succeeds', async () => {
  const emu = await emulator()
  const { checkout_url } = await newCheckout(emu)
  const pays = Array.from({ length: 5 }, () => payAtPage(checkout_url, { outcome: 'paid' }))
  const statuses = (await Promise.all(pays)).map(({ status }) => status).sort()
  expect(statuses).toEqual([303, 409, 409, 409, 409])
})

test('a script may post JSON', async () => {
  const emu = await emulator()
  const { checkout_url } = await newCheckout(emu)
  const response = await fetch(checkout_url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ payment_method: 'cib', outcome: 'paid' }),
    redirect: 'manual',
  })
  expect(response.status).toBe(303)
  expect(emu.checkouts()).toMatchObject([{ status: 'paid', payment_method: 'cib' }])
})

test.each([{}, { outcome: 'stolen' }, { outcome: 'paid', payment_method: 'visa' }])(
  'the form %j is refused and changes nothing',
  async (fields) => {
    const emu = await emulator()
    const { checkout_url } = await newCheckout(emu)
    expect((await payAtPage(checkout_url, fields)).status).toBe(422)
    expect(emu.checkouts()).toMatchObject([{ status: 'pending' }])
  },
)

test('an unknown checkout is 404', async () => {
  const emu = await emulator()
  expect((await read(`${emu.url}/test/checkouts/01none/pay`)).status).toBe(404)
  expect((await payAtPage(`${emu.url}/test/checkouts/01none/pay`, { outcome: 'paid' })).status).toBe(404)
})

test('paying redirects with the checkout id, and sends a signed event', async () => {
  const { shop, emu } = await withMerchant()
  const checkout = await newCheckout(emu, { metadata: { payment_id: 'pay_1' } })

  const back = await payAtPage(checkout.checkout_url, { payment_method: 'cib', outcome: 'paid' })

  expect(back.status).toBe(303)
  expect(back.headers.get('location')).toBe(`https://app.example.dz/ok?checkout_id=${checkout.id}`)
  await expect.poll(() => shop.received).toHaveLength(1)
  const [event] = shop.received
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

test.each([
  ['ar', 'rtl', 'محاكي Chargily Pay'],
  ['fr', 'ltr', 'Émulateur de Chargily Pay'],
  ['en', 'ltr', 'An emulator of Chargily Pay'],
])('the root in %s links to the controls and shows no key', async (locale, direction, title) => {
  const emu = await emulator()
  const answers = [
    await fetch(`${emu.url}/?lang=${locale}`),
    await fetch(emu.url, { headers: { 'accept-language': `xx, ${locale}-DZ;q=0.9` } }),
  ]
  for (const answer of answers) {
    const { text, headers } = await answerOf(answer)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(text).toContain(`<html lang="${locale}" dir="${direction}">`)
    for (const words of [
      title,
      `href="${emu.url}/_sandbox"`,
      `${emu.url}/test/api/v2`,
      'payment_method=edahabia',
    ])
      expect(text).toContain(words)
    expect(text).not.toContain(KEY)
  }
})
