// Receives events: `import { eventHandler } from '@ishtirak/client/events'`. It verifies them and handles
// each once, or again if it failed. It works with Request and Response, node:http, Express and Fastify.
import type { BooksSealedEvent, EventType } from './api.js'
import { inMemory, type Seen } from './seen.js'
import {
  type BillingEvent,
  checkSecrets,
  type EventHeaders,
  InvalidEventError,
  verifyEvent,
} from './verify-event.js'

export type { Seen } from './seen.js'
export type { BillingEvent } from './verify-event.js'

/** The event of one type, with its kind of `data`. */
export type EventOf<Type extends EventType> = Extract<BillingEvent, { readonly type: Type }>

export interface EventHandlerOptions<Context = void> {
  /** `whsec_…`; both the old and the new one during a rotation. */
  readonly secrets: string | readonly string[]
  /** An error or rejection is answered with 500, so that the event comes again. */
  readonly on: {
    readonly [Type in EventType]?: (event: EventOf<Type>, context: Context) => unknown
  } & {
    /** It is about no user. `'*'` is given it if it is not named. */
    readonly 'books.sealed'?: (event: BooksSealedEvent & { readonly id: string }, context: Context) => unknown
    /**
     * Handles all types that are not named, also those of later versions. Without it they are answered with
     * 200.
     */
    readonly '*'?: (event: BillingEvent, context: Context) => unknown
  }
  /** Default: the last 10,000 ids in memory, which is enough for one process. */
  readonly seen?: Seen<Context>
  /** Called with the reason of a 500; `event` is null if it was not read yet. Default: console.error. */
  readonly onError?: (error: unknown, event: BillingEvent | null) => void | Promise<void>
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

export interface EventHandler {
  (request: Request): Promise<Response>
  /** For node:http, and as a route of Express. It reads the body, so no parser may run before. */
  readonly listener: (request: NodeRequest, response: NodeResponse) => void
  /** A plugin. Its address is the `prefix` with which it is registered. */
  readonly fastify: (app: FastifyHost) => Promise<void>
}

/** The parts of a node:http request that are used. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly readableDidRead?: boolean
}

export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown
  end(text: string): unknown
}

/** The parts of Fastify that are used. */
export interface FastifyHost {
  removeAllContentTypeParsers(): unknown
  addContentTypeParser(
    type: string,
    parse: (request: unknown, payload: unknown, done: (error: null) => void) => void,
  ): unknown
  all(
    path: string,
    handler: (request: { readonly raw: NodeRequest }, reply: FastifyAnswer) => Promise<unknown>,
  ): unknown
}

interface FastifyAnswer {
  code(status: number): { headers(headers: Record<string, string>): { send(text: string): unknown } }
}

/** Throws `TypeError` if a secret is missing or malformed. */
export function eventHandler<Context = void>(options: EventHandlerOptions<Context>): EventHandler {
  const { secrets, onError = (error) => console.error(error), now = Date.now } = options
  checkSecrets(secrets)
  const takeOnce = onceAtATime(options)
  // A failing `onError` must not end the process of `listener`.
  const report = async (error: unknown, event: BillingEvent | null) => {
    try {
      await onError(error, event)
    } catch (failure) {
      console.error(error, failure)
    }
  }
  const answer = async ({ method, headers, body }: Incoming): Promise<Answer> => {
    let event: BillingEvent | null = null
    try {
      if (method !== 'POST') throw new Refusal(405, 'events are sent by POST', { allow: 'POST' })
      event = await verifyEvent(await body(), headers, secrets, { now })
      await takeOnce(event)
      return answerOf(200, '')
    } catch (error) {
      if (error instanceof Refusal) return answerOf(error.status, error.message, error.headers)
      if (error instanceof InvalidEventError) return answerOf(401, error.message)
      await report(error, event)
      return answerOf(500, error instanceof BodyGone ? error.message : 'the handler failed')
    }
  }
  const ofNode = (request: NodeRequest) =>
    answer({ method: request.method, headers: request.headers, body: () => nodeBody(request) })
  const ofWeb = async (request: Request) => {
    const { method, headers } = request
    const { status, text, headers: own } = await answer({ method, headers, body: () => webBody(request) })
    return new Response(text, { status, headers: own })
  }
  return Object.assign(ofWeb, {
    listener: (request: NodeRequest, response: NodeResponse) => {
      ofNode(request).then(({ status, text, headers }) => {
        response.writeHead(status, headers)
        response.end(text)
      })
    },
    fastify: async (app: FastifyHost) => {
      // Only in this plugin, so that nothing reads the body first.
      app.removeAllContentTypeParsers()
      app.addContentTypeParser('*', (_request, _payload, done) => done(null))
      app.all('/', async ({ raw }, reply) => {
        const { status, text, headers } = await ofNode(raw)
        return reply.code(status).headers(headers).send(text)
      })
    },
  })
}

interface Incoming {
  readonly method: string | undefined
  readonly headers: EventHeaders
  /** Throws `Refusal` or `BodyGone`. */
  readonly body: () => Promise<string | Uint8Array>
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly headers: Record<string, string>
}

function answerOf(status: number, text: string, headers: Record<string, string> = {}): Answer {
  return { status, text, headers: { 'content-type': 'text/plain', ...headers } }
}

/** The request or its sender is wrong. */
class Refusal extends Error {
  readonly status: number
  readonly headers: Record<string, string>

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

/** The host is wrong. */
class BodyGone extends Error {
  override readonly name = 'BodyGone'

  constructor() {
    super(
      'the body was read before the handler of events, and a signature is over its bytes: ' +
        'mount the handler before the parsers of bodies, or keep `rawBody`',
    )
  }
}

/** The number of ids that one process keeps. */
const SEEN_IN_MEMORY = 10_000

/** Simultaneous deliveries of one event share one call, and its failure. */
function onceAtATime<Context>({ on, seen = inMemory(SEEN_IN_MEMORY) }: EventHandlerOptions<Context>) {
  const underWay = new Map<string, Promise<void>>()
  const take = async (event: BillingEvent) => {
    // The handler found by a type takes events of that type.
    const handle = (on[event.type] ?? on['*']) as
      | ((event: BillingEvent, context: Context) => unknown)
      | undefined
    if (!handle) return
    let handled: Promise<void> | undefined
    await seen(event.id, (context) => {
      handled = Promise.resolve(handle(event, context)).then(() => undefined)
      return handled
    })
    // A failure counts even if `seen` did not wait for it.
    await handled
  }
  return (event: BillingEvent): Promise<void> => {
    const taken = underWay.get(event.id) ?? take(event).finally(() => underWay.delete(event.id))
    underWay.set(event.id, taken)
    return taken
  }
}

/** Several times the size of the largest event. */
const BODY_BYTES_MAX = 64 * 1024
/** Less than the 15 s that Ishtirak waits for the whole answer. */
const READ_MS = 10_000
const CLOSE = { connection: 'close' }

async function webBody(request: Request): Promise<Uint8Array> {
  if (request.bodyUsed) throw new BodyGone()
  const reader = request.body?.getReader()
  if (!reader) return new Uint8Array()
  try {
    return await readBounded(() => reader.read())
  } catch (error) {
    reader.cancel().catch(() => undefined)
    throw error
  }
}

async function nodeBody(request: NodeRequest): Promise<string | Uint8Array> {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
  if (request.readableDidRead && (length !== '0' || encoding !== undefined)) return keptBody(request)
  // Not `for await`, which would end the connection before it is answered.
  const chunks = request[Symbol.asyncIterator]()
  return readBounded(() => chunks.next())
}

/** The body that a parser kept as `rawBody`, or a parser of bytes as `body`. */
function keptBody(request: NodeRequest & { readonly rawBody?: unknown; readonly body?: unknown }) {
  const { rawBody, body } = request
  if (typeof rawBody === 'string' || rawBody instanceof Uint8Array) return rawBody
  if (body instanceof Uint8Array) return body
  throw new BodyGone()
}

/** `next` of a web reader, or of an asynchronous iterator. */
async function readBounded(
  next: () => Promise<{ readonly done?: boolean | undefined; readonly value?: Uint8Array | undefined }>,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Refusal(408, 'the body did not come in time', CLOSE)), READ_MS)
  })
  const nextInTime = () =>
    Promise.race([next(), late]).catch((error) => {
      throw error instanceof Refusal ? error : new Refusal(400, 'the body broke off', CLOSE)
    })
  try {
    for (;;) {
      const { done, value } = await nextInTime()
      if (done || !value) return joined(chunks, size)
      chunks.push(value)
      size += value.length
      if (size > BODY_BYTES_MAX) throw new Refusal(413, `an event has ${BODY_BYTES_MAX} bytes at most`, CLOSE)
    }
  } finally {
    clearTimeout(timer)
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}
