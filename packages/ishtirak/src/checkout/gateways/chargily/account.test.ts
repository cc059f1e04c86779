import { expect, test } from 'vitest'
import { openAccount } from './account.js'

const TEST_KEY = 'test_sk_abc'
const LIVE_KEY = 'live_sk_abc'

const CALLED = [
  [TEST_KEY, undefined, 'https://pay.chargily.net/test/api/v2'],
  [LIVE_KEY, undefined, 'https://pay.chargily.net/api/v2'],
  [TEST_KEY, 'http://127.0.0.1:3001', 'http://127.0.0.1:3001/test/api/v2'],
  [LIVE_KEY, 'http://127.0.0.1:3001/', 'http://127.0.0.1:3001/api/v2'],
  [LIVE_KEY, 'http://localhost:3001', 'http://localhost:3001/api/v2'],
  [TEST_KEY, 'http://emulator:4000/chargily', 'http://emulator:4000/chargily/test/api/v2'],
  [TEST_KEY, 'https://proxy.example.dz/pay/api/v2/', 'https://proxy.example.dz/pay/api/v2'],
] as const

test('a key calls the side of its mode, at any address', () => {
  for (const [secretKey, apiUrl, baseUrl] of CALLED) {
    const { baseUrl: called, live } = openAccount({ secretKey, ...(apiUrl && { apiUrl }) })
    expect({ called, live }).toEqual({ called: baseUrl, live: secretKey === LIVE_KEY })
  }
})
