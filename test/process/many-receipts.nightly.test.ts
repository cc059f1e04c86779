// Receipts are dear: some 10 ms of the main thread each. Many at once must not hold up everybody else.
import { Agent, get } from 'node:http'
import { freePort } from '../support/free-port.js'
import { startService } from '../support/process.js'
import { waitFor } from '../support/wait-for.js'
import { JWT_SECRET, tokenOf } from '../support/world.js'

const USERS = 50
const LANGUAGES = ['ar', 'fr', 'en']

/** On a connection of its own: `fetch` may send it behind a receipt that is being printed. */
const own = new Agent({ keepAlive: true, maxSockets: 1 })
const statusOf = (url: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    get(url, { agent: own }, (answer) => answer.resume().on('end', () => resolve(answer.statusCode))).on(
      'error',
      reject,
    )
  })

it('150 receipts at once leave /healthz quick; beyond the queue is 503 with Retry-After', async () => {
  const env = { PORT: String(await freePort()), DATABASE_URL: 'memory:', AUTH_JWT_SECRET: JWT_SECRET }
  const service = await startService(env)
  const api = `${service.url}/api/v1/billing`
  const receipts: (readonly [string, RequestInit])[] = []
  for (let index = 0; index < USERS; index++) {
    const authorization = `Bearer ${await tokenOf({ sub: `user-${index}` })}`
    const headers = { authorization, 'content-type': 'application/json' }
    const opened = await fetch(`${api}/upgrade`, { method: 'POST', headers, body: '{"plan":"pro"}' })
    const { checkout_url: checkoutUrl, payment_id: paymentId } = await opened.json()
    const body = new URLSearchParams({ payment_method: 'cib', outcome: 'paid' })
    await fetch(checkoutUrl, { method: 'POST', redirect: 'manual', body })
    receipts.push([`${api}/payments/${paymentId}/receipt`, { headers: { authorization } }])
  }
  // Each is there when its payment is booked; the first one opens the engine as well.
  for (const [url, request] of receipts) {
    await waitFor(async () => (await fetch(url, request)).status === 200)
  }

  // Its connection is there before the others ask for theirs.
  await statusOf(`${service.url}/healthz`)
  const startedAt = performance.now()
  let isDone = false
  const asked = Promise.all(
    receipts.flatMap(([url, request]) => LANGUAGES.map((lang) => fetch(`${url}?lang=${lang}`, request))),
  ).finally(() => {
    isDone = true
  })
  const waits: number[] = []
  while (!isDone) {
    const before = performance.now()
    expect(await statusOf(`${service.url}/healthz`)).toBe(200)
    waits.push(performance.now() - before)
  }
  const answers = await asked
  const wholeMs = performance.now() - startedAt
  const sorted = waits.toSorted((one, other) => one - other)
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  const figures = [wholeMs, median, sorted.at(-1) ?? 0].map((ms) => ms.toFixed(0))
  console.info(`ms for 150 receipts, median and slowest of ${waits.length} × /healthz: ${figures.join(', ')}`)
  // Printed in one go, the service answers a handful of times in all that while.
  expect(waits.length).toBeGreaterThan(20)
  expect(median).toBeLessThan(wholeMs / 10)

  const printed = answers.filter(({ status }) => status === 200)
  const refused = answers.filter(({ status }) => status === 503)
  expect(printed.length + refused.length).toBe(150)
  expect(printed.length).toBeGreaterThanOrEqual(100)
  for (const answer of refused) {
    expect([answer.headers.get('retry-after'), (await answer.json()).code]).toEqual(['2', 'busy'])
  }
  own.destroy()
  expect(await service.kill('SIGTERM')).toBe(0)
})
