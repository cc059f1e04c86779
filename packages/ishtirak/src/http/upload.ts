// Files that are sent as a body. One is held in memory once, while it is looked at and stored, and all together within a bound;
// it takes memory as its bytes come, so that a slow sender holds no more than was sent.
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BillingError } from '../core/error.js'
import { createWorkQueue } from '../runtime/async.js'

/** A photograph of a phone, or some scanned pages. */
const FILE_BYTES_MAX = 2 * 1024 * 1024
/** The oldest file is read whole all the same, so that one of them always comes to its end. */
const ALL_BYTES_MAX = 2 * FILE_BYTES_MAX
/** A sender that sends nothing for so long gives way to those that wait: a phone without network does not hold up the others. */
const IDLE_MS = 5_000

/** For an encapsulated plugin: a body of any type is left unread, for `Uploads.receive`. */
export function acceptStreams(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
  app.addHook('onRequest', (request, _reply, done) => {
    // Fastify refuses a malformed type before any parser; a file is told by its content.
    request.headers['content-type'] = 'application/octet-stream'
    done()
  })
}

export interface Uploads {
  /**
   * Reads a file and gives it to `work`, which has it until it is done: it is empty then. Throws `payload_too_large`, or
   * `request_timeout` where the sender stands still and others wait; what is left of the body is read and thrown away then.
   */
  receive<Result>(body: Readable, work: (file: Buffer) => Promise<Result>): Promise<Result>
}

/** For all requests of a process. Where many files are on their way the younger ones wait, and their senders with them. */
export function createUploads(mostBytes = ALL_BYTES_MAX, idleMs = IDLE_MS): Uploads {
  // The oldest first.
  const bodies = new Set<Readable>()
  let held = 0
  // What is looked at and stored is copied on its way to the database: one file at a time.
  const queue = createWorkQueue()
  const mayGoOn = (body: Readable) => held < mostBytes || bodies.values().next().value === body
  return {
    receive: async (body, work) => {
      let own = 0
      const take = (bytes: number) => {
        if (own + bytes > FILE_BYTES_MAX) throw new BillingError('payload_too_large')
        own += bytes
        held += bytes
        if (!mayGoOn(body)) body.pause()
      }
      const isInTheWay = () => !body.isPaused() && [...bodies].some((other) => other.isPaused())
      bodies.add(body)
      // It grows as bytes come, and is given back when they are stored, not when V8 collects it.
      const memory = new ArrayBuffer(0, { maxByteLength: FILE_BYTES_MAX })
      try {
        const file = await readAll(body, memory, take, { idleMs, isInTheWay })
        return await queue.run(() => work(file))
      } finally {
        memory.resize(0)
        held -= own
        bodies.delete(body)
        for (const other of bodies) if (mayGoOn(other)) other.resume()
      }
    },
  }
}

/** Before anything is read. Throws `payload_too_large` where the body says that it is. */
export function refuseLongBody({ headers }: Pick<FastifyRequest, 'headers'>): void {
  if (Number(headers['content-length'] ?? 0) > FILE_BYTES_MAX) throw new BillingError('payload_too_large')
}

/** Not by `for await`, which would end the connection with the reading, and the answer with it. */
function readAll(
  body: Readable,
  memory: ArrayBuffer,
  take: (bytes: number) => void,
  { idleMs, isInTheWay }: { readonly idleMs: number; readonly isInTheWay: () => boolean },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const whenIdle = () => {
      if (isInTheWay()) fail(new BillingError('request_timeout'))
      else idle.refresh()
    }
    const idle = setTimeout(whenIdle, idleMs)
    const add = (chunk: Buffer) => {
      idle.refresh()
      try {
        take(chunk.length)
        const length = memory.byteLength
        memory.resize(length + chunk.length)
        new Uint8Array(memory, length).set(chunk)
      } catch (error) {
        finish(() => reject(error))
      }
    }
    const end = () => finish(() => resolve(Buffer.from(memory)))
    const fail = (error: Error) =>
      finish(() =>
        reject(error instanceof BillingError ? error : new BillingError('invalid_request', { cause: error })),
      )
    const close = () => fail(new Error('the body ended early'))
    const finish = (settle: () => void) => {
      clearTimeout(idle)
      body.off('data', add).off('end', end).off('close', close).off('error', fail)
      body.on('error', () => undefined).resume()
      settle()
    }
    body.on('data', add).on('end', end).on('close', close).on('error', fail)
  })
}
