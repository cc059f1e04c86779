// Several processes of HTTP on one port: they serve together, are replaced when they die, and end together.
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { postgresUrl } from '../support/databases.js'
import { freePort } from '../support/free-port.js'
import { buildOnce, runCommand, type ServiceProcess, startService } from '../support/process.js'
import { CHARGILY_KEY } from '../support/world.js'

beforeAll(() => buildOnce())

async function environment(): Promise<Record<string, string>> {
  return {
    PORT: String(await freePort()),
    WORKERS: '2',
    DATABASE_URL: await postgresUrl(),
    CHARGILY_SECRET_KEY: CHARGILY_KEY,
    CHARGILY_API_URL: 'http://127.0.0.1:9',
    AUTH_JWT_SECRET: 'a secret of the tests, longer than 32 bytes',
  }
}

/** The processes that have said they listen, in the order in which they did. */
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
    await vi.waitFor(() => expect(workersOf(service)).toHaveLength(2), { timeout: 20_000 })
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200)

    const [first = 0, second = 0] = workersOf(service)
    expect(new Set([first, second, service.pid]).size).toBe(3)
    process.kill(first, 'SIGKILL')
    await vi.waitFor(() => expect(workersOf(service)).toHaveLength(3), { timeout: 20_000 })
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200)

    expect(await service.kill('SIGTERM')).toBe(0)
    expect(workersOf(service).filter(isAlive)).toEqual([])
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
