// Files that are sent as a body, or as the file of a form. A file is in memory once, and all files together
// are limited. Memory grows with the bytes received, so that a slow sender holds no more than it sent.
import { type Readable, Transform } from 'node:stream'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BillingError } from '../core/error.js'
import { createTurns, createWorkQueue } from '../runtime/async.js'
import type { App } from './app.js'

/** A phone's photograph or some scanned pages. */
const FILE_BYTES_MAX = 8 * 1024 * 1024
/** Four of the largest files. Further bytes are refused as `busy` until one of them is stored. */
const ALL_BYTES_MAX = 4 * FILE_BYTES_MAX
const RETRY_SECONDS = 5
/** A sender that is silent for this long (a phone without network) is given up, and may send again. */
const IDLE_MS = 20_000

/** For routes that take files: 8 MiB from a phone on a slow network (half a megabit a second). */
export const UPLOAD_CONFIG = { bodyTimeoutMs: 140_000 }

/** `reason` says what is wrong with a file, `extra` says where. */
export function fileRefused(reason: string, extra: object = {}): BillingError {
  return new BillingError('file_not_accepted', { extra: { reason, ...extra } })
}

export type Uploads = ReturnType<typeof createUploads>

/** One for all requests of a process. */
export function createUploads(mostBytes = ALL_BYTES_MAX) {
  const inTurn = createTurns()
  // A file is copied on its way to the database, so they go one at a time.
  const queue = createWorkQueue()
  let held = 0
  const receiveOne = async <Result>(body: Readable, work: (file: Buffer) => Promise<Result>) => {
    // It grows as bytes arrive, and is freed once they are stored, not when V8 collects it.
    const memory = new ArrayBuffer(0, { maxByteLength: FILE_BYTES_MAX })
    const add = (chunk: Buffer) => {
      const length = memory.byteLength
      if (length + chunk.length > FILE_BYTES_MAX) throw new BillingError('payload_too_large')
      if (held + chunk.length > mostBytes)
        throw new BillingError('busy', { retryAfterSeconds: RETRY_SECONDS })
      held += chunk.length
      memory.resize(length + chunk.length)
      new Uint8Array(memory, length).set(chunk)
    }
    try {
      await readAll(body, add)
      return await queue.run(() => work(Buffer.from(memory)))
    } finally {
      held -= memory.byteLength
      memory.resize(0)
    }
  }
  /**
   * Reads a file for `work`, and clears it afterwards. A user's files are read one after the other. Throws
   * `payload_too_large`, `busy` if too many files are on their way, or `request_timeout`.
   */
  const receive = <Result>(userId: string, body: Readable, work: (file: Buffer) => Promise<Result>) =>
    inTurn(userId, () => receiveOne(body, work))
  return { receive }
}

/** Called before anything is read. Throws `payload_too_large` if the body declares to be. */
export function refuseLongBody({ headers }: Pick<FastifyRequest, 'headers'>): void {
  if (Number(headers['content-length'] ?? 0) > FILE_BYTES_MAX) throw new BillingError('payload_too_large')
}

async function readAll(body: Readable, add: (chunk: Buffer) => void): Promise<void> {
  const idle = setTimeout(() => body.destroy(new BillingError('request_timeout')), IDLE_MS)
  try {
    // By default a refusal would destroy the body, and with it the connection for the answer.
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      idle.refresh()
      add(chunk)
    }
  } catch (cause) {
    // The rest is read and ignored.
    body.on('error', () => undefined).resume()
    throw cause instanceof BillingError ? cause : new BillingError('invalid_request', { cause })
  } finally {
    clearTimeout(idle)
  }
}

/** A form with a file: `answer` reads it by `openFileForm`, in the bounds of a file. */
export function fileFormRoute(
  app: App,
  path: string,
  options: object,
  answer: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
): void {
  app.register(async (own) => {
    own.addContentTypeParser('multipart/form-data', (_request, _body, done) => done(null))
    own.post(path, { ...options, config: UPLOAD_CONFIG }, answer)
  })
}

/** Our forms have a token, a file and what is said about it. More is not read. */
const FORM_LIMITS = { fields: 12, fieldNameSize: 100, fieldSize: 1_000, files: 1, parts: 13, headerPairs: 8 }

/** A socket returns up to 2 MiB in one turn, which takes a form parser too long. */
const oneInTurn = () =>
  new Transform({ transform: (chunk, _encoding, done) => setImmediate(() => done(null, chunk)) })

type FileForm = { readonly fields: URLSearchParams; readonly file: Readable }

/** Reads a form up to its file, with the fields before it. Throws `invalid_request`. */
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
