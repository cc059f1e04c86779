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
   * Reads a file and gives it to `work`, which has it until it is done. Throws `payload_too_large`; what is left of the body is
   * not read then.
   */
  receive<Result>(body: Readable, work: (file: Buffer) => Promise<Result>): Promise<Result>
}

/** For all requests of a process. Where many files are on their way the younger ones wait, and their senders with them. */
export function createUploads(mostBytes = ALL_BYTES_MAX): Uploads {
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
      bodies.add(body)
      try {
        const file = await readAll(body, take)
        return await queue.run(() => work(file))
      } finally {
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
function readAll(body: Readable, take: (bytes: number) => void): Promise<Buffer> {
  // Pages that nothing was written to take no memory, and one that never grows leaves nothing to be freed on the way.
  const file = Buffer.allocUnsafeSlow(FILE_BYTES_MAX)
  let length = 0
  return new Promise((resolve, reject) => {
    const add = (chunk: Buffer) => {
      try {
        take(chunk.length)
      } catch (error) {
        return finish(() => reject(error))
      }
      length += chunk.copy(file, length)
    }
    const end = () => finish(() => resolve(file.subarray(0, length)))
    const fail = (error: Error) =>
      finish(() =>
        reject(error instanceof BillingError ? error : new BillingError('invalid_request', { cause: error })),
      )
    const close = () => fail(new Error('the body ended early'))
    const finish = (settle: () => void) => {
      body.off('data', add).off('end', end).off('close', close).off('error', fail)
      body.on('error', () => undefined).resume()
      settle()
    }
    body.on('data', add).on('end', end).on('close', close).on('error', fail)
  })
}
