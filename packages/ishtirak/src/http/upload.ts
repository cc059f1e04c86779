// Files that are sent as a body. One is held in memory once, while it is looked at and stored, and all together within a bound;
// it takes room as its bytes come, so that a slow sender holds no more than was sent.
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BillingError } from '../core/error.js'

/** A photograph of a phone, or some scanned pages. */
const FILE_BYTES_MAX = 2 * 1024 * 1024
/** Ten files of users who send at once, and what waits to be freed. */
const ALL_BYTES_MAX = 12 * FILE_BYTES_MAX
const FIRST_BYTES = 64 * 1024
const RETRY_SECONDS = 5

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
   * Reads a file and gives it to `work`, which has it until it is done. Throws `payload_too_large`, and `busy` where too many
   * files are on their way; what is left of the body is not read then.
   */
  receive<Result>(body: Readable, work: (file: Buffer) => Promise<Result>): Promise<Result>
}

/** For all requests of a process. */
export function createUploads(mostBytes = ALL_BYTES_MAX): Uploads {
  let held = 0
  return {
    receive: async (body, work) => {
      let own = 0
      const take = (bytes: number) => {
        if (own + bytes > FILE_BYTES_MAX) throw new BillingError('payload_too_large')
        if (held + bytes > mostBytes) throw new BillingError('busy', { retryAfterSeconds: RETRY_SECONDS })
        own += bytes
        held += bytes
      }
      try {
        return await work(await readAll(body, take))
      } finally {
        held -= own
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
  let file: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)
  let length = 0
  return new Promise((resolve, reject) => {
    const add = (chunk: Buffer) => {
      try {
        take(chunk.length)
      } catch (error) {
        return finish(() => reject(error))
      }
      if (length + chunk.length > file.length) file = grown(file, length + chunk.length)
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

/** Doubled: large ones are pages of their own, which go back to the system when they are let go. */
function grown(file: Buffer, length: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(length, Math.min(2 * file.length, FILE_BYTES_MAX)))
  file.copy(larger)
  return larger
}
