import { readFileSync } from 'node:fs'
import type { Emulator } from '../../packages/chargily-emulator/src/emulator.js'
import { postgresUrl } from '../support/databases.js'
import type { ServiceProcess } from '../support/process.js'
import { CHARGILY_KEY, checkoutIdOf, JWT_SECRET, tokenOf } from '../support/world.js'

/** Its provider is not called: port 9 discards. An emulator calls it back, so it then needs a PORT. */
export async function serviceEnv(more: Record<string, string> = {}): Promise<Record<string, string>> {
  return {
    PORT: '0',
    DATABASE_URL: await postgresUrl(),
    CHARGILY_SECRET_KEY: CHARGILY_KEY,
    CHARGILY_API_URL: 'http://127.0.0.1:9',
    AUTH_JWT_SECRET: JWT_SECRET,
    ...more,
  }
}

/** Posts `body`, CSV if it is a text, or reads. The status is 0 if the process is killed meanwhile. */
export async function call(
  { url }: Pick<ServiceProcess, 'url'>,
  token: string,
  path: string,
  body?: object | string,
  method = body === undefined ? 'GET' : 'POST',
) {
  const type = typeof body === 'string' ? 'text/csv' : 'application/json'
  const sent = typeof body === 'object' ? JSON.stringify(body) : body
  const headers = { authorization: `Bearer ${token}`, 'content-type': type }
  const answer = await fetch(`${url}/api/v1${path}`, { method, headers, body: sent ?? null })
    .then(async (one) => ({ status: one.status, text: await one.text() }))
    .catch(() => null)
  return answer ? { status: answer.status, body: JSON.parse(answer.text) } : { status: 0, body: null }
}

/** Asks for `pro` and pays; gives the payment's id. */
export async function buyPro(service: ServiceProcess, emulator: Emulator, sub: string): Promise<string> {
  const { body } = await call(service, await tokenOf({ sub }), '/billing/upgrade', { plan: 'pro' })
  await emulator.pay(checkoutIdOf(body.checkout_url), 'paid')
  await emulator.settled()
  return body.payment_id
}

export function residentMb(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024
}
