// Signed by the specification's own library.
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { InvalidEventError, verifyEvent } from './index.js'

const AT = new Date('2026-11-21T12:00:00Z')
const now = () => AT.getTime()
const newSecret = (size = 24) => `whsec_${randomBytes(size).toString('base64')}`
const SECRET = newSecret()
const EVENT = {
  type: 'payment.paid',
  timestamp: '2026-11-21T12:00:00Z',
  data: { user_id: 'user-1', sequence: 1, payment: { id: 'pay_1', amount: 2000 } },
}
const BODY = JSON.stringify(EVENT)

function headersOf({ secrets = [SECRET], body = BODY, at = AT, id = 'evt_1' } = {}) {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(at.getTime() / 1_000),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  }
}

const refuses = (attempt: Promise<unknown>) => expect(attempt).rejects.toBeInstanceOf(InvalidEventError)

describe('verifyEvent', () => {
  it('returns a signed event with its id, discriminated by its type', async () => {
    const event = await verifyEvent(BODY, headersOf(), SECRET, { now })
    expect(event).toEqual({ ...EVENT, id: 'evt_1' })
    // The compiler knows: an event about a payment carries it.
    if (event.type === 'payment.paid') expect(event.data.payment.amount).toBe(2000)
  })

  it('reads bytes and headers of every kind', async () => {
    const bytes = new TextEncoder().encode(BODY)
    const upperCase = Object.fromEntries(
      Object.entries(headersOf()).map(([name, value]) => [name.toUpperCase(), value]),
    )
    for (const headers of [headersOf(), new Headers(headersOf()), upperCase]) {
      expect((await verifyEvent(bytes, headers, SECRET, { now })).id).toBe('evt_1')
    }
  })

  it('accepts any signature and any secret while secrets are rotated', async () => {
    const [old, fresh, other] = [newSecret(), newSecret(64), newSecret()]
    const both = headersOf({ secrets: [old, fresh] })
    for (const secrets of [old, fresh, [other, fresh]]) {
      expect((await verifyEvent(BODY, both, secrets, { now })).id).toBe('evt_1')
    }
    await refuses(verifyEvent(BODY, both, other, { now }))
    await refuses(verifyEvent(BODY, both, [], { now }))
  })

  it('signs once for each secret, however many signatures are sent', async () => {
    const sign = vi.spyOn(crypto.subtle, 'sign')
    const verify = vi.spyOn(crypto.subtle, 'verify')
    const forged = Array(300)
      .fill(`v1,${'B'.repeat(43)}=`)
      .join(' ')
    const headers = { ...headersOf(), 'webhook-signature': forged }
    await refuses(verifyEvent(BODY, headers, [SECRET, newSecret()], { now }))
    expect(sign.mock.calls.length + verify.mock.calls.length).toBe(2)
    const last = { ...headers, 'webhook-signature': `${forged} ${headersOf()['webhook-signature']}` }
    expect((await verifyEvent(BODY, last, SECRET, { now })).id).toBe('evt_1')
    vi.restoreAllMocks()
  })

  it('refuses a changed body, id or time', async () => {
    await refuses(verifyEvent(BODY.replace('2000', '1'), headersOf(), SECRET, { now }))
    await refuses(verifyEvent(BODY, { ...headersOf(), 'webhook-id': 'evt_2' }, SECRET, { now }))
    const seconds = String(AT.getTime() / 1_000 + 1)
    await refuses(verifyEvent(BODY, { ...headersOf(), 'webhook-timestamp': seconds }, SECRET, { now }))
  })

  it('takes a timestamp of up to five minutes before or after now', async () => {
    const verify = (seconds: number) =>
      verifyEvent(BODY, headersOf({ at: new Date(AT.getTime() + seconds * 1_000) }), SECRET, { now })
    for (const seconds of [-300, 300]) expect((await verify(seconds)).id).toBe('evt_1')
    for (const seconds of [-301, 301]) await refuses(verify(seconds))
  })

  it('throws nothing but InvalidEventError, whatever the headers are', async () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constant('v1,'), fc.base64String())
    const signature = text.map((value) => `v1,${value}`)
    const header = fc.option(fc.oneof(text, signature), { nil: undefined })
    const headers = fc.record({
      'webhook-id': header,
      'webhook-timestamp': fc.oneof(header, fc.constant(String(AT.getTime() / 1_000))),
      'webhook-signature': header,
    })
    await fc.assert(
      fc.asyncProperty(headers, fc.string(), async (given, body) => {
        await refuses(verifyEvent(body, given, SECRET, { now }))
      }),
    )
  })

  it('agrees with the library on any body', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (data) => {
        const body = JSON.stringify({ type: 'payment.paid', data })
        const event = await verifyEvent(body, headersOf({ body }), SECRET, { now })
        expect(event.data).toEqual(JSON.parse(body).data)
      }),
    )
  })
})
