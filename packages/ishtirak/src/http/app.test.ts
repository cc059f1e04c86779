// Only the clock is moved. The bytes travel over real connections.
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { captureLog, PUBLIC_URL } from '../../../../test/support/example-app.js'
import { waitFor } from '../../../../test/support/wait-for.js'
import { BillingError } from '../core/error.js'
import { type App, createApp } from './app.js'

let app: App
let accepted: Socket[]

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  accepted = []
  app = createApp({ log: captureLog().log, publicUrl: PUBLIC_URL })
  app.server.on('connection', (socket) => accepted.push(socket))
  app.get('/', () => ({}))
  app.post('/', () => ({}))
  app.get('/private', () => {
    throw new BillingError('unauthenticated')
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(async () => {
  vi.useRealTimers()
  await app.close()
})

async function connectTo(sent: string) {
  const near = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  await once(near, 'connect')
  near.write(sent)
  await waitFor(() => accepted.at(-1)?.remotePort === near.localPort)
  const far = accepted.at(-1)
  await waitFor(() => far?.bytesRead === sent.length)
  return { near, isOpen: () => far?.destroyed === false, received: text(near) }
}

it('a connection without a request, half a head and half a body do not hold up a stop', async () => {
  const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n'
  const silent = await connectTo('')
  const late = await connectTo('')
  const refused = await connectTo('')
  const unfinished = [await connectTo(head), await connectTo(`${head}\r\n{`)]
  const stopped = app.close()
  await waitFor(() => !app.server.listening)
  late.near.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  refused.near.write('GET /private HTTP/1.1\r\nHost: x\r\n\r\n')
  expect(await late.received).toMatch(/^HTTP\/1\.1 200 .*\r\nconnection: close\r\n/is)
  expect(await refused.received).toMatch(/^HTTP\/1\.1 401 .*\r\nconnection: close\r\n/is)

  await vi.advanceTimersByTimeAsync(999)
  expect(silent.isOpen()).toBe(true)
  await vi.advanceTimersByTimeAsync(1)
  expect(await silent.received).toBe('')
  expect(unfinished.map(({ isOpen }) => isOpen())).toEqual([true, true])
  await vi.advanceTimersByTimeAsync(9_000)
  expect(await Promise.all(unfinished.map(({ received }) => received))).toEqual(['', ''])
  await stopped
})
