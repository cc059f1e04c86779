// A free port, for services that need to know their address before they start.
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Above those that `fetch` refuses to call (https://fetch.spec.whatwg.org/#port-blocking, the last is 10080), and below those
 * that the system gives to outgoing connections (Linux: from 32768), which could take one in between.
 */
const PORTS = { from: 10_081, to: 32_000 }
const TRIES_MAX = 50

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const port = randomInt(PORTS.from, PORTS.to)
    if (await isFree(port)) return port
  }
  throw new Error(`no port was free in ${TRIES_MAX} tries`)
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
