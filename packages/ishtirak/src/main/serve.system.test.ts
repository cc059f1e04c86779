// What is looked at before a start makes anything.
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../../../test/support/free-port.js'
import { listen } from '../../../../test/support/listen.js'
import { waitFor } from '../../../../test/support/wait-for.js'
import { createLog } from '../runtime/log.js'
import { readConfig } from './config.js'
import { explainFailure } from './doctor.js'
import { serve } from './serve.js'
import { signToken } from './sign-token.js'

it.each(['PORT', 'SANDBOX_PORT', 'METRICS_PORT'])('%s is taken: nothing is made', async (name) => {
  await using other = await listen(createServer())
  const { port } = new URL(other.url)
  const folder = path.join(tmpdir(), 'ishtirak-of-no-port')
  const variables = { PORT: '0', SANDBOX_PORT: '0', METRICS_PORT: '0', DATA_DIR: folder, [name]: port }
  const refused = await serve(readConfig(variables), createLog({ level: 'silent' })).catch(Object)
  const others = name === 'METRICS_PORT' ? 'METRICS_PORT to another' : 'PORT and SANDBOX_PORT to others'
  expect(explainFailure(refused, variables)).toBe(
    `cannot listen on 127.0.0.1:${port} (EADDRINUSE): another program has it. End that, or set ${others}`,
  )
  expect(existsSync(folder)).toBe(false)
})

it('the sandbox shows what would have been mailed', async () => {
  // A known port, so that the webhook arrives.
  const ports = { PORT: String(await freePort()), SANDBOX_PORT: '0', METRICS_PORT: '0' }
  const variables = { ...ports, DATABASE_URL: 'memory:' }
  const service = await serve(readConfig(variables), createLog({ level: 'silent' }))
  onTestFinished(() => service.stop())
  const token = await signToken(service.config, 'user-1', { email: 'amine@example.dz', locale: 'en' })
  const answer = await fetch(`${service.url}/api/v1/billing/upgrade`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ plan: 'pro' }),
  })
  const { checkout_url: checkoutUrl } = (await answer.json()) as { checkout_url: string }
  await service.emulator?.pay(/checkouts\/(\w+)/.exec(checkoutUrl)?.[1] ?? '', 'paid')
  const page = async () => (await fetch(`${service.url}/_sandbox/mails`)).text()
  await waitFor(async () => (await page()).includes('amine@example.dz'))
  expect(await page()).toMatch(/<h2[^>]*>[^<]*receipt/i)
  expect(await page()).toContain(`<a href="${service.url}/portal">${service.url}/portal</a>`)
  expect(await page()).toMatch(/<li>[^<]+\.pdf<\/li>/)
})
