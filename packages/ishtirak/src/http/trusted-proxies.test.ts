// Who calls, behind a proxy: its word is believed only where the configuration says so.
import { afterEach, expect, it } from 'vitest'
import { createLog } from '../runtime/log.js'
import { type App, createApp } from './app.js'

let app: App
afterEach(() => app.close())

const addressSeen = async (trustedProxies: readonly string[]) => {
  app = createApp({ log: createLog({ level: 'silent' }), publicUrl: 'http://x', trustedProxies })
  app.get('/who', (request) => ({ ip: request.ip }))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return (await (await fetch(`${url}/who`, { headers: { 'x-forwarded-for': '203.0.113.9' } })).json()).ip
}

it('a caller’s own X-Forwarded-For is not believed', async () => {
  expect(await addressSeen([])).toBe('127.0.0.1')
})

it('that of a trusted proxy is', async () => {
  expect(await addressSeen(['127.0.0.0/8'])).toBe('203.0.113.9')
})
