// The adapter against the emulator, over real HTTP. Both implement the contract without shared code: where
// they disagree, one has misread it.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { KEY, ORDER } from '../../../../../../test/support/stub-provider.js'
import { startEmulator } from '../../../../../chargily-emulator/src/emulator.js'
import { type ChargilyOptions, createChargily } from './chargily.js'

type EmulatorOptions = Parameters<typeof startEmulator>[0]

async function provider(settings: Partial<EmulatorOptions> = {}, options: Partial<ChargilyOptions> = {}) {
  const emulator = await startEmulator({ secretKeys: [KEY], ...settings })
  onTestFinished(() => emulator.close())
  const chargily = createChargily({ secretKey: KEY, apiUrl: emulator.url, ...options })
  return { emulator, chargily }
}

/** An endpoint that keeps what is sent to it, byte for byte. */
async function mailbox() {
  const received: { body: Buffer; signature: string | undefined }[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { signature } = request.headers
    received.push({ body: Buffer.concat(chunks), signature: signature?.toString() })
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as AddressInfo
  return { received, order: { ...ORDER, webhookUrl: `http://127.0.0.1:${port}/webhook` } }
}

/** The value of an answer that must be one. */
async function value<Value>(answer: Promise<{ ok: true; value: Value } | { ok: false; failure: unknown }>) {
  const given = await answer
  if (!given.ok) throw new Error(`the provider failed: ${JSON.stringify(given.failure)}`)
  return given.value
}

describe('a checkout', () => {
  test('is opened, asked for, found and ended', async () => {
    const { emulator, chargily } = await provider()
    const opened = await value(chargily.createCheckout(ORDER))
    expect(opened).toMatchObject({
      ...{ checkoutId: expect.stringMatching(/^[0-9a-hjkmnp-tv-z]{26}$/), status: 'pending', amount: 2000 },
      ...{ currency: 'DZD', live: false, paymentId: ORDER.paymentId, userId: ORDER.userId },
      checkoutUrl: expect.stringMatching(`^${emulator.url}/test/checkouts/.+/pay$`),
    })
    expect(await value(chargily.getCheckout(opened.checkoutId))).toEqual(opened)
    expect(await value(chargily.list.find(ORDER.paymentId, opened.createdAt ?? 0))).toEqual([opened])
    expect(await value(chargily.list.find('pay_another', opened.createdAt ?? 0))).toEqual([])
    expect(await value(chargily.expireCheckout(opened.checkoutId))).toMatchObject({ status: 'expired' })
    expect(await value(chargily.expireCheckout(opened.checkoutId))).toMatchObject({ status: 'expired' })
  })

  test('can be paid for as long as we say', async () => {
    const { emulator, chargily } = await provider()
    const { checkoutId } = await value(chargily.createCheckout(ORDER))
    await emulator.advance(chargily.checkoutLifetimeMs / 1000 - 5)
    expect(await value(chargily.getCheckout(checkoutId))).toMatchObject({ status: 'pending' })
    await emulator.advance(10)
    expect(await value(chargily.getCheckout(checkoutId))).toMatchObject({ status: 'expired' })
  })

  test('that is paid says with what, and cannot be ended; one that does not exist is null', async () => {
    const { emulator, chargily } = await provider()
    for (const method of ['edahabia', 'cib'] as const) {
      const { checkoutId } = await value(chargily.createCheckout(ORDER))
      await emulator.pay(checkoutId, 'paid', method)
      const paid = { status: 'paid', instrument: method, amount: 2000 }
      expect(await value(chargily.getCheckout(checkoutId))).toMatchObject(paid)
      expect(await value(chargily.expireCheckout(checkoutId))).toMatchObject(paid)
    }
    const unknownId = '01hf7yat00000000000000chk1'
    expect(await value(chargily.getCheckout(unknownId))).toBeNull()
    expect(await value(chargily.expireCheckout(unknownId))).toBeNull()
  })

  test('among many is found once, on any page', async () => {
    const { chargily } = await provider()
    const mine = await value(chargily.createCheckout(ORDER))
    for (let n = 0; n < 60; n += 1) await value(chargily.createCheckout({ ...ORDER, paymentId: `pay_${n}` }))
    expect(await value(chargily.list.find(ORDER.paymentId, mine.createdAt ?? 0))).toEqual([mine])
    const pages = [await value(chargily.list.page(1)), await value(chargily.list.page(2))]
    // 1 + 60 checkouts at 50 a page: 50, 11.
    expect(pages.flatMap(({ checkouts, nextPage }) => [checkouts.length, nextPage])).toEqual([
      50,
      2,
      11,
      null,
    ])
  })

  test('for too little is refused with the sentence that is known', async () => {
    const { chargily } = await provider()
    const answer = await chargily.createCheckout({ ...ORDER, price: { amount: 49, currency: 'DZD' } })
    expect(answer).toMatchObject({
      ok: false,
      failure: {
        kind: 'rejected',
        status: 422,
        errors: { amount: ['The amount field must be greater than or equal to 50.'] },
      },
    })
  })
})

test('the key for live money opens the live side only', async () => {
  const secretKey = 'live_sk_7Qb3Kx9pLm2Zt5Rw8Yv1Nc4Hd6Gf0Js'
  const { chargily } = await provider({ secretKeys: [KEY, secretKey] }, { secretKey })
  expect(chargily.live).toBe(true)
  expect(await value(chargily.checkKey())).toBe(true)
  expect(await value(chargily.createCheckout(ORDER))).toMatchObject({ live: true })
})

describe('an event', () => {
  test('is verified and read in both dialects', async () => {
    for (const dialect of ['wire-2026', 'docs'] as const) await checkDialect(dialect)
  })

  async function checkDialect(dialect: 'wire-2026' | 'docs') {
    const { emulator, chargily } = await provider({ dialect })
    const { received, order } = await mailbox()
    const opened = await value(chargily.createCheckout({ ...order, description: 'خطة Pro / mois' }))
    await emulator.pay(opened.checkoutId, 'paid', 'cib')
    await emulator.settled()
    expect(received).toHaveLength(1)
    const { body = Buffer.alloc(0), signature } = received[0] ?? {}
    expect(chargily.webhook.verifySignature(body, signature)).toBe(true)
    const rewritten = Buffer.from(JSON.stringify(JSON.parse(body.toString())))
    expect(chargily.webhook.verifySignature(rewritten, signature)).toBe(false)
    const event = chargily.webhook.readEvent(body)
    expect(event).toMatchObject({ id: expect.any(String), type: 'checkout.paid' })
    const now = await value(chargily.getCheckout(opened.checkoutId))
    const { paymentId, userId } = ORDER
    expect(event?.report).toMatchObject({
      ...{ checkoutId: opened.checkoutId, status: 'paid', amount: 2000, live: false, paymentId, userId },
      updatedAt: now?.updatedAt,
    })
    // The documented event is silent about the currency; what is said must be right.
    expect([null, 'DZD']).toContain(event?.report?.currency)
  }

  test('reports a checkout that failed, was canceled or is over', async () => {
    const { emulator, chargily } = await provider()
    const { received, order } = await mailbox()
    for (const outcome of ['failed', 'canceled', 'expired'] as const) {
      const { checkoutId } = await value(chargily.createCheckout(order))
      if (outcome === 'expired') await emulator.advance(31 * 60)
      else await emulator.pay(checkoutId, outcome)
      await emulator.settled()
      const event = chargily.webhook.readEvent(received.at(-1)?.body ?? Buffer.alloc(0))
      expect(event).toMatchObject({ type: `checkout.${outcome}`, report: { checkoutId, status: outcome } })
    }
  })
})
