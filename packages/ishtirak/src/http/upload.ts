// Files that are sent as a body, or as the file of a form. A file is in memory once, and all files together
// are limited. Memory grows with the bytes received, so that a slow sender holds no more than it sent.
import { type Readable, Transform } from 'node:stream'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BillingError } from '../core/error.js'
import { createTurns, createWorkQueue } from '../runtime/async.js'
import { acceptAnyType } from './request.js'

/** A phone's photograph or some scanned pages. */
const FILE_BYTES_MAX = 8 * 1024 * 1024
/** The oldest file is always read to its end, so that one of them completes. */
const ALL_BYTES_MAX = FILE_BYTES_MAX
/** A sender that is silent for this long (a phone without network) gives way to waiting ones. */
const IDLE_MS = 5_000

/** For routes that take files: 8 MiB from a phone on a slow network (half a megabit a second). */
export const UPLOAD_CONFIG = { bodyTimeoutMs: 140_000 }

/** For an encapsulated plugin: bodies of any type stay unread until `Uploads.receive`. */
export function acceptStreams(app: FastifyInstance): void {
  acceptAnyType(app)
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
}

export interface Uploads {
  /**
   * Reads a file for `work`, and clears it afterwards. A user's files are read one after the other. Throws
   * `payload_too_large`, or `request_timeout` if the sender is silent while others wait.
   */
  receive<Result>(userId: string, body: Readable, work: (file: Buffer) => Promise<Result>): Promise<Result>
}

/** One for all requests of a process. If many files arrive at once, the younger ones wait. */
export function createUploads(mostBytes = ALL_BYTES_MAX, idleMs = IDLE_MS): Uploads {
  const inTurn = createTurns()
  const perUser = new Map<string, number>()
  // Sorted, the oldest first.
  const bodies = new Set<Readable>()
  let buffered = 0
  // A file is copied on its way to the database, so they go one at a time.
  const queue = createWorkQueue()
  const mayGoOn = (body: Readable) => buffered < mostBytes || bodies.values().next().value === body
  const receiveOne = async <Result>(
    userId: string,
    body: Readable,
    work: (file: Buffer) => Promise<Result>,
  ) => {
    let own = 0
    const take = (bytes: number) => {
      if (own + bytes > FILE_BYTES_MAX) throw new BillingError('payload_too_large')
      own += bytes
      buffered += bytes
      if (!mayGoOn(body)) body.pause()
    }
    const isAwaited = () => (perUser.get(userId) ?? 0) > 1 || [...bodies].some((other) => other.isPaused())
    const isInTheWay = () => !body.isPaused() && isAwaited()
    bodies.add(body)
    // It grows as bytes arrive, and is freed once they are stored, not when V8 collects it.
    const memory = new ArrayBuffer(0, { maxByteLength: FILE_BYTES_MAX })
    try {
      const file = await readAll(body, memory, take, { idleMs, isInTheWay })
      return await queue.run(() => work(file))
    } finally {
      memory.resize(0)
      buffered -= own
      bodies.delete(body)
      for (const other of bodies) if (mayGoOn(other)) other.resume()
    }
  }
  return {
    receive: (userId, body, work) => {
      perUser.set(userId, (perUser.get(userId) ?? 0) + 1)
      return inTurn(userId, () => receiveOne(userId, body, work)).finally(() => {
        const others = (perUser.get(userId) ?? 0) - 1
        if (others > 0) perUser.set(userId, others)
        else perUser.delete(userId)
      })
    },
  }
}

/** Called before anything is read. Throws `payload_too_large` if the body declares to be. */
export function refuseLongBody({ headers }: Pick<FastifyRequest, 'headers'>): void {
  if (Number(headers['content-length'] ?? 0) > FILE_BYTES_MAX) throw new BillingError('payload_too_large')
}

/** Not by `for await`, which would end the connection together with the reading, and so the answer. */
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
    // The body may have ended while it waited for its turn.
    if (body.destroyed) close()
  })
}

export interface FileForm {
  /** The fields before the file. */
  readonly fields: URLSearchParams
  readonly file: Readable
}

/** Our forms have a token, a file and what is said about it. More is not read. */
const FORM_LIMITS = { fields: 12, fieldNameSize: 100, fieldSize: 1_000, files: 1, parts: 13, headerPairs: 8 }

/** A socket returns up to 2 MiB in one turn, which takes a form parser too long. */
const oneInTurn = () =>
  new Transform({ transform: (chunk, _encoding, done) => setImmediate(() => done(null, chunk)) })

/** Reads a form up to its file. Throws `invalid_request`. */
export function openFileForm({ raw, headers }: FastifyRequest): Promise<FileForm> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) => {
      raw.unpipe().resume()
      reject(new BillingError('invalid_request', { cause }))
    }
    try {
      // One byte more than allowed, so that the reader notices that a file is too large.
      const limits = { ...FORM_LIMITS, fileSize: FILE_BYTES_MAX + 1 }
      // The constructor refuses headers without a content type of forms.
      const form = new Busboy({ headers: headers as BusboyHeaders, limits })
      const fields = new URLSearchParams()
      form.on('field', (name, value) => fields.append(name, value))
      form.on('file', (_name, file) => {
        // A form may break off before the file is read, and a refused form is never read: an error without a
        // listener would end the process. The reader sees that the file is destroyed.
        file.on('error', () => undefined)
        form.on('error', (error: Error) => file.destroy(error))
        raw.once('close', () => raw.complete || file.destroy())
        resolve({ fields, file })
      })
      form.on('error', fail).on('finish', () => fail(new Error('the form has no file')))
      // Otherwise the rest would still be searched for parts.
      form.on('partsLimit', () => fail(new Error('the form has too many parts')))
      form.on('fieldsLimit', () => fail(new Error('the form has too many fields')))
      raw.pipe(oneInTurn()).pipe(form)
    } catch (error) {
      fail(error)
    }
  })
}
