// Files that are sent as a body, or as the file of a form. One is held in memory once, all together within a
// bound; it takes memory as its bytes come, so that a slow sender holds no more than was sent.
import { type Readable, Transform } from 'node:stream'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BillingError } from '../core/error.js'
import { createTurns, createWorkQueue } from '../runtime/async.js'
import { acceptAnyType } from './request.js'

/** A photograph of a phone, or some scanned pages. */
const FILE_BYTES_MAX = 8 * 1024 * 1024
/** The oldest file is read whole all the same, so that one of them always comes to its end. */
const ALL_BYTES_MAX = FILE_BYTES_MAX
/** A sender that is silent for so long gives way to those that wait: a phone without network. */
const IDLE_MS = 5_000

/** For routes that take files: 8 MiB from a phone on a slow network (half a megabit a second). */
export const UPLOAD_CONFIG = { bodyTimeoutMs: 140_000 }

/** For an encapsulated plugin: a body of any type is left unread, for `Uploads.receive`. */
export function acceptStreams(app: FastifyInstance): void {
  acceptAnyType(app)
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
}

export interface Uploads {
  /**
   * Reads a file for `work`, and empties it then. The files of one user come one after the other. Throws
   * `payload_too_large`, or `request_timeout` where the sender stands still and others wait.
   */
  receive<Result>(userId: string, body: Readable, work: (file: Buffer) => Promise<Result>): Promise<Result>
}

/** For all requests of a process. Where many files are on their way, the younger ones wait. */
export function createUploads(mostBytes = ALL_BYTES_MAX, idleMs = IDLE_MS): Uploads {
  const inTurn = createTurns()
  const perUser = new Map<string, number>()
  // The oldest first.
  const bodies = new Set<Readable>()
  let buffered = 0
  // What is looked at and stored is copied on its way to the database: one file at a time.
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
    // It grows as bytes come, and is given back when they are stored, not when V8 collects it.
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
    // While it waited for its turn.
    if (body.destroyed) close()
  })
}

export interface FileForm {
  /** Those before the file. */
  readonly fields: URLSearchParams
  readonly file: Readable
}

/** A form of ours has a token, a file and what is said of it. What is beyond is not read. */
const FORM_LIMITS = { fields: 12, fieldNameSize: 100, fieldSize: 1_000, files: 1, parts: 13, headerPairs: 8 }

/** A socket gives up to 2 MiB in one turn, which a reader of forms takes too long for. */
const oneInTurn = () =>
  new Transform({ transform: (chunk, _encoding, done) => setImmediate(() => done(null, chunk)) })

/** Reads a form as far as its file. Throws `invalid_request`. */
export function openFileForm({ raw, headers }: FastifyRequest): Promise<FileForm> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) => {
      raw.unpipe().resume()
      reject(new BillingError('invalid_request', { cause }))
    }
    try {
      // A byte more than is taken, so that the reader of the file sees that it is too large.
      const limits = { ...FORM_LIMITS, fileSize: FILE_BYTES_MAX + 1 }
      // The constructor refuses headers without a content type of forms.
      const form = new Busboy({ headers: headers as BusboyHeaders, limits })
      const fields = new URLSearchParams()
      form.on('field', (name, value) => fields.append(name, value))
      form.on('file', (_name, file) => {
        // A form may break off before the file is read, and where it is refused nothing reads it: an error
        // without a listener ends the process. The reader sees that the file is destroyed.
        file.on('error', () => undefined)
        form.on('error', (error: Error) => file.destroy(error))
        raw.once('close', () => raw.complete || file.destroy())
        resolve({ fields, file })
      })
      form.on('error', fail).on('finish', () => fail(new Error('the form has no file')))
      // What is beyond would be searched for further parts all the same.
      form.on('partsLimit', () => fail(new Error('the form has too many parts')))
      form.on('fieldsLimit', () => fail(new Error('the form has too many fields')))
      raw.pipe(oneInTurn()).pipe(form)
    } catch (error) {
      fail(error)
    }
  })
}
