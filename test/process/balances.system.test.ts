// Two processes on one database, and one balance: it is spent once, by both at once and through kills.
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { postgresUrl } from '../support/databases.js'
import { freePort } from '../support/free-port.js'
import { buildOnce, type ServiceProcess, startService } from '../support/process.js'
import { waitFor } from '../support/wait-for.js'
import { CHARGILY_KEY, checkoutIdOf, JWT_SECRET, tokenOf } from '../support/world.js'

let emulator: Emulator
let env: Record<string, string>
let both: ServiceProcess[] = []
beforeAll(async () => {
  buildOnce()
  emulator = await startEmulator({ secretKeys: [CHARGILY_KEY] })
  env = {
    DATABASE_URL: await postgresUrl(),
    CHARGILY_SECRET_KEY: CHARGILY_KEY,
    CHARGILY_API_URL: emulator.url,
    AUTH_JWT_SECRET: JWT_SECRET,
    BALANCE_MAX: '100000',
    PLANS_FILE: path.resolve(import.meta.dirname, '../fixtures/terms.json'),
  }
  both = await Promise.all([start(), start()])
})
afterAll(async () => {
  await Promise.all(both.map((service) => service.kill('SIGKILL')))
  await emulator.close()
})

async function start(): Promise<ServiceProcess> {
  return startService({ ...env, PORT: String(await freePort()) })
}

/** Of one user; each call goes to the next process. The status is 0 where none answers. */
async function callerFor(sub: string) {
  const headers = { authorization: `Bearer ${await tokenOf({ sub })}`, 'content-type': 'application/json' }
  let calls = 0
  return async (method: string, path: string, body?: object) => {
    const service = both[calls++ % both.length]
    if (!service) throw new Error('there is no process')
    const url = `${service.url}/api/v1/billing${path}`
    const asked = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const answer = await fetch(url, asked).catch(() => null)
    return answer
      ? { status: answer.status, body: JSON.parse(await answer.text()) }
      : { status: 0, body: null }
  }
}
type Call = Awaited<ReturnType<typeof callerFor>>

const topUp = async (call: Call, amount: number) => {
  const { body } = await call('POST', '/balance/top-ups', { amount })
  await emulator.pay(checkoutIdOf(body.checkout_url), 'paid')
  await emulator.settled()
  await waitFor(async () => (await call('GET', `/payments/${body.id}`)).body.status === 'paid')
}
const PRICES = { 1: 2_000, 3: 6_000, 6: 11_000, 12: 20_000 }
const TERMS = Object.keys(PRICES).map(Number)
const buyAll = (call: Call, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      call('POST', '/payments', { plan: 'pro', months: TERMS[index % TERMS.length], method: 'balance' }),
    ),
  )

async function boughtBy(call: Call): Promise<{ id: string; months: number; amount: number }[]> {
  const { data } = (await call('GET', '/payments?limit=100')).body
  return data.filter(({ method }: { method: string }) => method === 'balance')
}

const sumOf = (bought: readonly { amount: number }[]) => bought.reduce((sum, { amount }) => sum + amount, 0)

it('buys each term once, as far as the balance goes, of fifty requests at once', async () => {
  const call = await callerFor('fifty')
  await topUp(call, 21_000)
  const answers = await buyAll(call, 50)
  const refused = answers.filter(({ status }) => status !== 201)
  expect(refused.filter(({ body }) => body.code !== 'balance_too_low')).toEqual([])
  const bought = await boughtBy(call)
  const { amount } = (await call('GET', '/balance')).body
  expect(amount).toBe(21_000 - sumOf(bought))
  expect(new Set(answers.flatMap(({ status, body }) => (status === 201 ? [body.id] : [])))).toEqual(
    new Set(bought.map(({ id }) => id)),
  )
  const left = Object.entries(PRICES).filter(([term]) => !bought.some(({ months }) => `${months}` === term))
  expect(bought).toHaveLength(TERMS.length - left.length)
  expect(left.filter(([, price]) => price <= amount)).toEqual([])
})

it('renews once, of two processes that write it down', async () => {
  const call = await callerFor('renewing')
  await call('PUT', '/balance/renewal', { plan: 'pro', months: 1 })
  await topUp(call, 6_000)
  await Promise.all(Array.from({ length: 20 }, () => call('GET', '/balance')))
  const { amount, data } = (await call('GET', '/balance')).body
  expect([amount, data.map(({ kind }: { kind: string }) => kind)]).toEqual([4_000, ['renewal', 'top_up']])
})

it('keeps what was answered, and no more was taken, where both are killed meanwhile', async () => {
  const call = await callerFor('killed')
  await topUp(call, 40_000)
  const asked = buyAll(call, 30)
  // The first that is bought is answered; the others are under way.
  await waitFor(async () => (await call('GET', '/balance')).body?.amount < 40_000)
  await Promise.all(both.map((service) => service.kill('SIGKILL')))
  const answered = (await asked).filter(({ status }) => status === 201)
  both = await Promise.all([start(), start()])
  const { amount } = (await call('GET', '/balance')).body
  const bought = await boughtBy(call)
  const ids = new Set(bought.map(({ id }) => id))
  expect(answered.filter(({ body }) => !ids.has(body.id))).toEqual([])
  expect(amount).toBe(40_000 - sumOf(bought))
})
