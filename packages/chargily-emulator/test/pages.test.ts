import { answerOf, emulator, KEY, newCheckout, payAtPage } from './support.js'

const read = async (url: string) => answerOf(await fetch(url))

test("the payment page is in the checkout's language or that of `?lang=`, in its direction", async () => {
  const emu = await emulator({ account: { name: 'Hosting' } })
  for (const [locale, direction, words] of [
    ['ar', 'rtl', ['بيئة تجريبية · لا بطاقة حقيقية', '2\u00a0000\u00a0دج']],
    ['fr', 'ltr', ['Simulation · ni vraie carte', '2\u00a0000\u00a0DA']],
    ['en', 'ltr', ['Sandbox · no real card, no real money', '2\u00a0000\u00a0DA']],
  ] as const) {
    const { checkout_url } = await newCheckout(emu, { locale })
    const { text, headers } = await read(`${checkout_url}?lang=xx`)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(text).toContain(`<html lang="${locale}" dir="${direction}">`)
    const values = ['edahabia', 'cib', 'paid', 'failed', 'canceled'].map((value) => `value="${value}"`)
    expect([...words, 'Hosting', ...values].filter((one) => !text.includes(one))).toEqual([])
    expect((await read(`${checkout_url}?lang=ar`)).text).toContain('<html lang="ar" dir="rtl">')
  }
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

test('an outcome redirects to its address with the id added, and without one to the page', async () => {
  const emu = await emulator()
  for (const [outcome, url, target] of [
    ['paid', 'https://a.example.dz/ok?x=%20y&z=1', 'https://a.example.dz/ok?x=%20y&z=1&checkout_id=ID'],
    ['paid', 'https://a.example.dz/ok?checkout_id=old#top', 'https://a.example.dz/ok?checkout_id=ID#top'],
    ['failed', 'https://a.example.dz/ko', 'https://a.example.dz/ko?checkout_id=ID'],
    ['canceled', 'https://a.example.dz/ko?', 'https://a.example.dz/ko?checkout_id=ID'],
  ] as const) {
    const urls = outcome === 'paid' ? { success_url: url } : { failure_url: url }
    const { id, checkout_url } = await newCheckout(emu, urls)
    const back = await payAtPage(checkout_url, { payment_method: 'edahabia', outcome })
    expect([back.status, back.headers.get('location')]).toEqual([303, target.replace('ID', id)])
  }
  const { checkout_url } = await newCheckout(emu)
  const back = await payAtPage(checkout_url, { outcome: 'failed' })
  expect(back.headers.get('location')).toBe(checkout_url)
})

test('an outcome is final: the page shows it and a second payment is 409', async () => {
  const emu = await emulator()
  for (const [outcome, words] of [
    ['paid', 'Ce paiement a été effectué'],
    ['failed', 'Ce paiement a échoué'],
    ['canceled', 'Ce paiement a été annulé'],
  ] as const) {
    const { id, checkout_url } = await newCheckout(emu, { locale: 'fr' })
    await emu.pay(id, outcome)
    const page = await read(checkout_url)
    expect([page.text.includes(words), page.text.includes('<form')]).toEqual([true, false])
    const again = await payAtPage(checkout_url, { outcome: 'paid' })
    expect([again.status, again.text.includes(words)]).toEqual([409, true])
  }
  expect(emu.checkouts().map(({ status }) => status)).toEqual(['paid', 'failed', 'canceled'])
})

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

test('a form that does not fit is refused and changes nothing, and an unknown checkout is 404', async () => {
  const emu = await emulator()
  const { checkout_url } = await newCheckout(emu)
  const wrong = [{}, { outcome: 'stolen' }, { outcome: 'paid', payment_method: 'visa' }]
  const answers = await Promise.all(wrong.map((fields) => payAtPage(checkout_url, fields as never)))
  expect(answers.map(({ status }) => status)).toEqual([422, 422, 422])
  expect(emu.checkouts()).toMatchObject([{ status: 'pending' }])
  const unknown = `${emu.url}/test/checkouts/01none/pay`
  expect((await read(unknown)).status).toBe(404)
  expect((await payAtPage(unknown, { outcome: 'paid' })).status).toBe(404)
})

test('the root leads to the controls, which name the address of the API and show no key', async () => {
  const emu = await emulator()
  const { text } = await read(emu.url)
  expect(text).toContain(`${emu.url}/test/api/v2`)
  expect(text).not.toContain(KEY)
})
