// Starts the service in a process of its own, with everything switched on that a production has.
import { fileURLToPath } from 'node:url'
import { startProcess } from './children.mjs'
import { freePort } from './postgres.mjs'

const PROGRAM = fileURLToPath(new URL('../../packages/ishtirak/dist/main/cli.js', import.meta.url))

export const JWT_SECRET = 'a secret of the benchmarks that is longer than 32 bytes'
export const PLATFORM_KEY = 'bench-platform-key-0123456789'
export const CHARGILY_KEY = 'test_sk_bench000000000000000000000000000000000'

/** `program` is the command of another build. BENCH_NODE_OPTIONS has more options for its Node. */
export async function startService({ databaseUrl, env = {}, nodeOptions = [], program = PROGRAM, onLine }) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const more = process.env.BENCH_NODE_OPTIONS?.split(' ') ?? []
  const service = await startProcess([...more, ...nodeOptions, program, 'serve'], {
    url: `${url}/readyz`,
    onLine,
    env: {
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      AUTH_JWT_SECRET: JWT_SECRET,
      PLATFORM_API_KEYS: PLATFORM_KEY,
      CHARGILY_SECRET_KEY: CHARGILY_KEY,
      // Port 9 (discard) has no listener.
      CHARGILY_API_URL: 'http://127.0.0.1:9',
      // A load test with the default would measure the limit alone.
      RATE_LIMIT_PER_MINUTE: '100000000',
      LOG_LEVEL: 'warn',
      ...env,
    },
  })
  return { ...service, url }
}
