import { expect, test } from 'vitest'
import { ChargilySetupError, openAccount } from './account.js'
import { createChargily } from './chargily.js'

const TEST_KEY = 'test_sk_abc'
const LIVE_KEY = 'live_sk_abc'

test.each([
  [TEST_KEY, undefined, 'https://pay.chargily.net/test/api/v2'],
  [LIVE_KEY, undefined, 'https://pay.chargily.net/api/v2'],
  [TEST_KEY, 'http://127.0.0.1:3001', 'http://127.0.0.1:3001/test/api/v2'],
  [LIVE_KEY, 'http://127.0.0.1:3001/', 'http://127.0.0.1:3001/api/v2'],
  [LIVE_KEY, 'http://localhost:3001', 'http://localhost:3001/api/v2'],
  [TEST_KEY, 'http://emulator:4000/chargily', 'http://emulator:4000/chargily/test/api/v2'],
  [TEST_KEY, 'https://proxy.example.dz/pay/api/v2/', 'https://proxy.example.dz/pay/api/v2'],
])('the key %s with the address %s calls %s', (secretKey, apiUrl, baseUrl) => {
  const account = openAccount({ secretKey, ...(apiUrl && { apiUrl }) })
  expect(account.baseUrl).toBe(baseUrl)
  expect(account.live).toBe(secretKey === LIVE_KEY)
})

test.each([
  '',
  'abc',
  'sk_test_abc',
  'test_pk_abc',
  'test_sk_',
  'test_sk_a b',
  'live_sk_abc\n',
  ' live_sk_abc',
])('a key that can be none (%j) stops the start, and is not repeated', (secretKey) => {
  expect(() => createChargily({ secretKey })).toThrow(ChargilySetupError)
  expect(() => createChargily({ secretKey })).toThrow(/must begin with test_sk_ or live_sk_/)
  // An empty further key would let anyone sign.
  expect(() => createChargily({ secretKey: TEST_KEY, webhookKeys: [secretKey] })).toThrow(ChargilySetupError)
})

test('the public key is called by its name', () => {
  expect(() => createChargily({ secretKey: 'live_pk_abc' })).toThrow(/public key/)
  expect(() => createChargily({ secretKey: 'live_pk_abc' })).not.toThrow(/abc/)
})

test('a test key never signs for live money', () => {
  const mixed = { secretKey: LIVE_KEY, webhookKeys: [TEST_KEY] }
  expect(() => createChargily(mixed)).toThrow(/mode of the secret key/)
})

test.each(['pay.chargily.net', 'ftp://x', 'http://user:pw@x', 'https://x/?a=b', 'https://x/#a', ''])(
  'an address that can be none (%j) stops the start',
  (apiUrl) => {
    expect(() => createChargily({ secretKey: TEST_KEY, apiUrl })).toThrow(ChargilySetupError)
  },
)

test('a live key does not cross a network in clear', () => {
  expect(() => createChargily({ secretKey: LIVE_KEY, apiUrl: 'http://10.0.0.7' })).toThrow(/https only/)
})
