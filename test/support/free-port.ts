import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Above the last port that `fetch` refuses, and below those that Linux gives to outgoing connections. */
const PORTS = { from: 10_081, to: 32_000 }

/** Each worker has ports of its own: between the look and the use, no other takes one. */
const WORKERS_MAX = 16
const OWN = Math.floor((PORTS.to - PORTS.from) / WORKERS_MAX)
const worker = Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS_MAX
const first = PORTS.from + worker * OWN

/** Counted from the first. Begins anywhere: another run of the tests may be beside this one. */
let given = randomInt(OWN)

/** In turn, so that none is given twice while its first owner starts. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < OWN; tries++) {
    given = (given + 1) % OWN
    const port = first + given
    if (await isFree(port)) return port
  }
  throw new Error(`none of ${OWN} ports was free`)
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
