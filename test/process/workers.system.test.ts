// Several processes of HTTP on one port: they serve together, are replaced when they die, and end together.
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { CODE_ENV } from '../support/codes.js'
import { postgresUrl } from '../support/databases.js'
import { freePort } from '../support/free-port.js'
import { buildOnce, runCommand, type ServiceProcess, startService } from '../support/process.js'
import { PATIENCE } from '../support/wait-for.js'
import { CHARGILY_KEY, JWT_SECRET, tokenOf } from '../support/world.js'

beforeAll(() => buildOnce())

async function environment(): Promise<Record<string, string>> {
  return {
    PORT: String(await freePort()),
    WORKERS: '2',
    DATABASE_URL: await postgresUrl(),
    CHARGILY_SECRET_KEY: CHARGILY_KEY,
    CHARGILY_API_URL: 'http://127.0.0.1:9',
    AUTH_JWT_SECRET: JWT_SECRET,
  }
}

/** The processes that have reported their address, in that order. */
const workersOf = ({ lines }: ServiceProcess) =>
  lines.flatMap((line) =>
    line.includes('"message":"listening"') ? [Number(/"pid":(\d+)/.exec(line)?.[1])] : [],
  )

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    // ESRCH: there is no such process.
    return false
  }
}

describe('two workers', () => {
  it('serve on one port, are replaced when one dies, and end on one signal', async () => {
    const service = await startService(await environment())
    await vi.waitFor(() => expect(workersOf(service)).toHaveLength(2), PATIENCE)
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200)

    const [first = 0, second = 0] = workersOf(service)
    expect(new Set([first, second, service.pid]).size).toBe(3)
    process.kill(first, 'SIGKILL')
    await vi.waitFor(() => expect(workersOf(service)).toHaveLength(3), PATIENCE)
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200)

    expect(await service.kill('SIGTERM')).toBe(0)
    expect(workersOf(service).filter(isAlive)).toEqual([])
  })

  it('are one in the metrics, which never go back, also when one dies', async () => {
    const service = await startService({ ...(await environment()), METRICS_PORT: '0' })
    await vi.waitFor(() => expect(workersOf(service)).toHaveLength(2), PATIENCE)
    const metricsUrl = /"metrics_url":"([^"]+)"/.exec(service.lines.join('\n'))?.[1] ?? ''
    const answered = async () => {
      const text = await (await fetch(metricsUrl)).text()
      const line = /^http_request_duration_seconds_count\{[^}]*route="\/healthz"[^}]*\} (\d+)$/m.exec(text)
      return { text, count: Number(line?.[1] ?? 0) }
    }
    // A connection each: they are dealt out to both.
    const ask = () => fetch(`${service.url}/healthz`, { headers: { connection: 'close' } })
    for (let asked = 0; asked < 20; asked++) expect((await ask()).status).toBe(200)
    // A worker reports its figures every second.
    await vi.waitFor(async () => expect((await answered()).count).toBe(20), PATIENCE)
    const readings = await Promise.all([answered(), answered(), answered()])
    expect(readings.map(({ count }) => count)).toEqual([20, 20, 20])
    expect(readings[0]?.text.match(/^# TYPE process_resident_memory_bytes gauge$/gm)).toHaveLength(1)

    const [first = 0] = workersOf(service)
    process.kill(first, 'SIGKILL')
    await vi.waitFor(() => expect(workersOf(service)).toHaveLength(3), PATIENCE)
    expect((await answered()).count).toBe(20)
    expect((await ask()).status).toBe(200)
    await vi.waitFor(async () => expect((await answered()).count).toBe(21), PATIENCE)
    expect((await fetch(`${service.url}/metrics`)).status).toBe(404)
    expect(await service.kill('SIGTERM')).toBe(0)
  })

  it('that cannot start end the whole, with a reason', async () => {
    const env = await environment()
    const first = await startService(env)
    const { code, output } = await runCommand(['serve'], env)
    expect(code).toBe(1)
    expect(output).toContain('EADDRINUSE')
    await first.kill('SIGTERM')
  })
})

it('two services on one database give a user ten wrong codes an hour together', async () => {
  const env = { ...(await environment()), ...CODE_ENV, WORKERS: '1' }
  const first = await startService(env)
  const second = await startService({ ...env, PORT: String(await freePort()) })
  const authorization = `Bearer ${await tokenOf({ sub: 'user-1' })}`
  const guess = async (n: number) => {
    const { url } = n % 2 === 0 ? first : second
    const response = await fetch(`${url}/api/v1/billing/redeem`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ code: `0000-0000-0000-00${String(n).padStart(2, '0')}` }),
    })
    return ((await response.json()) as { code: string }).code
  }
  const codes = await Promise.all(Array.from({ length: 50 }, (_, n) => guess(n)))
  expect([await guess(50), await guess(51)]).toEqual(['too_many_wrong_codes', 'too_many_wrong_codes'])
  await Promise.all([first.kill('SIGTERM'), second.kill('SIGTERM')])
  const count = (code: string) => codes.filter((one) => one === code).length
  expect([count('code_not_valid'), count('too_many_wrong_codes')]).toEqual([10, 40])
})
