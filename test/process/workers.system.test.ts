// Several processes of HTTP on one port: they serve together, are replaced when they die, and end together.
import { beforeAll, expect, it, vi } from 'vitest'
import { CODE_ENV } from '../support/codes.js'
import { buildOnce, runCommand, type ServiceProcess, startService } from '../support/process.js'
import { PATIENCE } from '../support/wait-for.js'
import { tokenOf } from '../support/world.js'
import { call, serviceEnv } from './calls.js'

beforeAll(() => buildOnce())

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

it('workers share a port and the metrics, are replaced when one dies, and end on one signal', async () => {
  const service = await startService(await serviceEnv({ WORKERS: '2', METRICS_PORT: '0' }))
  await vi.waitFor(() => expect(workersOf(service)).toHaveLength(2), PATIENCE)
  const [first = 0, second = 0] = workersOf(service)
  expect(new Set([first, second, service.pid]).size).toBe(3)
  const metricsUrl = /"metrics_url":"([^"]+)"/.exec(service.lines.join('\n'))?.[1] ?? ''
  const answered = async () => {
    const text = await (await fetch(metricsUrl)).text()
    const line = /^http_request_duration_seconds_count\{[^}]*route="\/healthz"[^}]*\} (\d+)$/m.exec(text)
    return { text, count: Number(line?.[1] ?? 0) }
  }
  // A connection each: they are dealt out to both.
  const ask = (path = '/healthz') => fetch(service.url + path, { headers: { connection: 'close' } })
  for (let asked = 0; asked < 20; asked++) expect((await ask()).status).toBe(200)
  // A worker reports its figures every second.
  await vi.waitFor(async () => expect((await answered()).count).toBe(20), PATIENCE)
  const readings = await Promise.all([answered(), answered(), answered()])
  expect(readings.map(({ count }) => count)).toEqual([20, 20, 20])
  expect(readings[0]?.text.match(/^# TYPE process_resident_memory_bytes gauge$/gm)).toHaveLength(1)

  process.kill(first, 'SIGKILL')
  await vi.waitFor(() => expect(workersOf(service)).toHaveLength(3), PATIENCE)
  // The figures never go back.
  expect((await answered()).count).toBe(20)
  const statuses = [await ask(), await ask('/readyz'), await ask('/metrics')].map(({ status }) => status)
  expect(statuses).toEqual([200, 200, 404])
  await vi.waitFor(async () => expect((await answered()).count).toBe(21), PATIENCE)
  expect(await service.kill('SIGTERM')).toBe(0)
  expect(workersOf(service).filter(isAlive)).toEqual([])
})

it('workers that cannot start end the whole, with a reason', async () => {
  const env = await serviceEnv({ WORKERS: '2' })
  const first = await startService(env)
  const { code, output } = await runCommand(['serve'], { ...env, PORT: new URL(first.url).port })
  expect([code, output]).toEqual([1, expect.stringContaining('EADDRINUSE')])
  await first.kill('SIGTERM')
})

it('two services on one database give a user ten wrong codes an hour together', async () => {
  const env = await serviceEnv(CODE_ENV)
  const both = await Promise.all([startService(env), startService(env)])
  const token = await tokenOf({ sub: 'user-1' })
  const guess = async (n: number): Promise<string> => {
    const code = `0000-0000-0000-00${String(n).padStart(2, '0')}`
    return (await call(both[n % 2] ?? both[0], token, '/billing/redeem', { code })).body.code
  }
  const codes = await Promise.all(Array.from({ length: 50 }, (_, n) => guess(n)))
  expect([await guess(50), await guess(51)]).toEqual(['too_many_wrong_codes', 'too_many_wrong_codes'])
  await Promise.all(both.map((service) => service.kill('SIGTERM')))
  const count = (code: string) => codes.filter((one) => one === code).length
  expect([count('code_not_valid'), count('too_many_wrong_codes')]).toEqual([10, 40])
})
