// Over real sockets. Failures that no loopback socket makes are objects of the same shape.
import { createServer, type Server } from 'node:http'
import { gzipSync } from 'node:zlib'
import { listen } from '../../../../test/support/listen.js'
import { failedToConnect, sendRequest } from './http-client.js'

test('an answer of exactly the limit is whole, one byte more is not kept', async () => {
  const url = await serve(
    createServer((request, response) => response.end('x'.repeat(Number(request.url?.slice(1))))),
  )
  const ask = (path: string) => sendRequest(getOf(url + path))
  const ok = { kind: 'answer', status: 200 }
  expect(await ask('/1000')).toMatchObject({ ...ok, body: Buffer.from('x'.repeat(1000)) })
  expect(await ask('/1001')).toMatchObject({ ...ok, body: null })
})

test('what is too long is not read to its end', async () => {
  // An endless answer: only the reader can end this test.
  let closed = false
  const server = createServer((_request, response) => {
    const more = () => {
      while (response.write('x'.repeat(65_536)));
    }
    response.on('drain', more).on('close', () => {
      closed = true
    })
    more()
  })
  const url = await serve(server)
  const answer = await sendRequest({ ...getOf(url), maxBytes: 100_000 })
  expect(answer).toMatchObject({ kind: 'answer', body: null })
  await expect.poll(() => closed).toBe(true)
})

test('nothing compressed is asked for, and what comes compressed is not decompressed', async () => {
  const asked: unknown[] = []
  // A mebibyte of one letter packs to about 1 kB.
  const packed = gzipSync('x'.repeat(1024 * 1024))
  const url = await serve(
    createServer((request, response) => {
      asked.push(request.headers['accept-encoding'])
      response.setHeader('content-encoding', 'gzip').end(packed)
    }),
  )
  expect(packed.byteLength).toBeLessThan(10_000)
  expect(await sendRequest({ ...getOf(url), maxBytes: 10_000 })).toMatchObject({ body: null })
  expect(asked).toEqual(['identity'])
})

test('a redirect is not followed', async () => {
  let hits = 0
  const url = await serve(
    createServer((_request, response) => {
      hits++
      response.writeHead(302, { location: '/elsewhere' }).end()
    }),
  )
  const answer = await post(url)
  expect(answer).toMatchObject({ kind: 'answer', status: 302 })
  expect(hits).toBe(1)
})

test('connections are kept and used again', async () => {
  const server = createServer(
    (request, response) => void request.resume().on('end', () => response.end('{}')),
  )
  let connections = 0
  server.on('connection', () => connections++)
  const url = await serve(server)
  for (let n = 0; n < 20; n++) await post(url)
  // The next request may start before the last connection is returned.
  expect(connections).toBeLessThanOrEqual(2)
})

test('a server that hangs up after it was sent something may have acted on it', async () => {
  const url = await serve(
    createServer((request) => void request.resume().on('end', () => request.socket.destroy())),
  )
  const answer = await post(url)
  expect(answer).toMatchObject({ kind: 'network', neverSent: false })
})

test('the time limit holds for the body too', async () => {
  const url = await serve(createServer((_request, response) => void response.writeHead(200).write('{')))
  expect((await sendRequest({ ...getOf(url), timeoutMs: 1 })).kind).toBe('timeout')
})

test('only what certainly was not sent is called so: of several addresses all must have refused', () => {
  const failure = (properties: object) => Object.assign(new Error('x'), properties)
  const refused = failure({ code: 'ECONNREFUSED', syscall: 'connect' })
  const broken = failure({ code: 'ECONNRESET', syscall: 'write' })
  const neverSent = [
    ...[
      refused,
      failure({ code: 'ENOTFOUND', syscall: 'getaddrinfo' }),
      new AggregateError([refused, refused]),
    ],
    failure({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
  ]
  const maybeSent = [
    ...[failure({ code: 'ECONNRESET', syscall: 'read' }), failure({ code: 'ETIMEDOUT', syscall: 'read' })],
    ...[failure({ code: 'ECONNRESET' }), new Error('socket hang up'), 'socket hang up'],
    ...[broken, new AggregateError([refused, broken])],
  ]
  expect(neverSent.filter((error) => !failedToConnect(error))).toEqual([])
  expect(maybeSent.filter(failedToConnect)).toEqual([])
})

test('an address out of reach is never sent anything', async () => {
  const url = await serve(createServer((_request, response) => response.end('{}')))
  for (const target of [url, url.replace('127.0.0.1', 'localhost')]) {
    const answer = await sendRequest({ ...getOf(target), reach: 'public' })
    const detail = expect.stringContaining('is not a public address')
    expect(answer).toMatchObject({ kind: 'network', neverSent: true, detail })
    expect(await sendRequest({ ...getOf(target), reach: 'loopback' })).toMatchObject({ kind: 'answer' })
  }
})

function getOf(url: string) {
  return { url, method: 'GET', headers: {}, timeoutMs: 5_000, maxBytes: 1000 } as const
}

const post = (url: string) => sendRequest({ ...getOf(url), method: 'POST', body: '{}' })

async function serve(server: Server): Promise<string> {
  const listening = await listen(server)
  onTestFinished(() => listening[Symbol.asyncDispose]())
  return listening.url
}
