// What is written down of a call: enough to understand it at night, and nothing that a thief could use.
import { describe, expect, test } from 'vitest'
import { CHECKOUT, chargilyWithStub, KEY, ORDER } from '../../../../../../test/support/stub-provider.js'
import type { Send } from '../../../runtime/http-client.js'
import { redact } from './call.js'
import { createChargily } from './chargily.js'

describe('what is logged', () => {
  test('one line a call, with its way, status and duration', async () => {
    const { chargily, lines } = await chargilyWithStub(() => ({ json: CHECKOUT }))
    await chargily.createCheckout(ORDER)
    expect(lines).toEqual([
      {
        ...{ event: 'provider_called', method: 'POST', path: '/checkouts', status: 200 },
        took_ms: expect.any(Number),
      },
    ])
  })

  test('no key, signature, e-mail address or merchant document, whatever the answer repeats', async () => {
    const signature = 'ab'.repeat(32)
    const leak = `Bearer ${KEY} test_pk_public ${signature} owner@shop.example.dz \u0000`
    const { chargily, lines } = await chargilyWithStub(() => ({
      status: 422,
      json: { message: leak, errors: { [KEY]: [leak] }, account: { nif: '000016001234567' } },
    }))
    const answer = await chargily.createCheckout(ORDER)
    const written = JSON.stringify([lines, answer])
    expect(lines).toHaveLength(1)
    for (const secret of [KEY, 'test_pk_public', signature, 'owner@shop', '000016001234567', '\\u0000']) {
      expect(written).not.toContain(secret)
    }
    expect(written).toContain('[key]')
  })

  test('a key of an unusual alphabet is known all the same', () => {
    const key = 'live_sk_a.b/c+d'
    expect(redact(`Bearer ${key}!`, [key])).toBe('Bearer [key]!')
  })

  test('a network failure that names the header keeps the key to itself', async () => {
    const lines: unknown[] = []
    const failing: Send = async () => {
      throw new TypeError(`invalid header value "Bearer ${KEY}"`)
    }
    const chargily = createChargily({ secretKey: KEY, send: failing, log: (line) => lines.push(line) })
    const answer = await chargily.createCheckout(ORDER)
    expect(JSON.stringify([lines, answer])).not.toContain(KEY)
    expect(JSON.stringify(lines)).toContain('provider_call_failed')
  })
})
