// What an operator asks of one user, or of a thing that this cell does not have, goes to the cell that has
// it, as it came, and its answer comes back as it is: that cell knows the operator by itself, and has the act
// in its own trail.
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BillingError, cellUnavailable, userOnTheirWay } from '../core/error.js'
import { SECOND } from '../core/instant.js'
import { type Cell, type LiveCells, othersThan, partOf, partOfPayment } from '../runtime/cells.js'
import { type App, routeOf } from './app.js'

/** Such a request goes no further: cells may differ about whose a user is, for as long as a part moves. */
export const FORWARDED = 'x-ishtirak-forwarded'
const ANSWER_MS = 5 * SECOND

/** For all routes of the plugin, whose callers are known when a body is read. */
export function askElsewhere(app: App, { cells }: { readonly cells: LiveCells | null }): void {
  if (!cells) return
  app.addHook('preValidation', async (request, reply) => {
    const cell = await cellNamed(cells, request)
    if (!cell || cell === cells.own) return
    if (isForwarded(request)) throw userOnTheirWay()
    return await forward(request, reply, cell)
  })
  const others = othersThan(cells)
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = async function (request, reply) {
      const isOfEach = route.method === 'POST' && OF_EACH_CELL.test(route.url) && !isForwarded(request)
      // The own answer is the last: a page sends it at once.
      const theirs = isOfEach ? await askEach(request, others) : null
      try {
        const answer = await handler.call(this, request, reply)
        theirs?.resume()
        return answer
      } catch (error) {
        if (theirs && error instanceof BillingError && error.code === 'conflict') return give(reply, theirs)
        const isElsewhere = error instanceof BillingError && error.code === 'not_found'
        if (!isElsewhere || isForwarded(request) || isOfOne(request)) throw error
        return await firstThatHas(request, reply, others, error)
      }
    }
  })
}

const isForwarded = ({ headers }: FastifyRequest) => headers[FORWARDED] !== undefined

/**
 * The shop has one drawer with one count of its day, its bank statements, and acts on many, of which a second
 * sending finds the first: the first cell keeps them.
 */
const OF_FIRST_CELL = /^\/(api\/v1\/operator|console)\/(drawer|statements|bank-lines|bulk)\b/

/** Each cell closes its own month, and sends its own events; asked for at one, all do. */
const OF_EACH_CELL = /\/(months\/:month\/(close|reopen)|events\/resend-waiting)$/

/** The last answer that tells what was done; or a refusal, where none has done it. */
async function askEach(request: FastifyRequest, cells: readonly Cell[]): Promise<IncomingMessage | null> {
  let found: IncomingMessage | null = null
  for (const cell of cells) {
    const answer = await requireAnswer(request, cell)
    const isRefusal = (answer.statusCode ?? 0) >= 400
    if (isRefusal && found) answer.resume()
    else {
      found?.resume()
      found = answer
    }
  }
  return found
}

/** Null: it is of no one cell. */
async function cellNamed(cells: LiveCells, request: FastifyRequest): Promise<Cell | null> {
  if (OF_FIRST_CELL.test(routeOf(request))) return cells.all[0] ?? null
  const part = partNamed(request)
  return part === null ? null : cells.holderOf(part)
}

function isOfOne(request: FastifyRequest): boolean {
  return OF_FIRST_CELL.test(routeOf(request)) || partNamed(request) !== null
}

/** Null: it is of no one user, or of a payment without a mark. */
function partNamed({ params, query, body }: FastifyRequest): number | null {
  const form = body instanceof URLSearchParams ? Object.fromEntries(body) : body
  // A file names nobody, and as an object each of its bytes is a member.
  const named = { ...(Buffer.isBuffer(form) ? {} : Object(form)), ...Object(query), ...Object(params) }
  const { user_id: userId, payment_id: paymentId } = named
  if (typeof userId === 'string' && userId !== '') return partOf(userId)
  return typeof paymentId === 'string' ? partOfPayment(paymentId) : null
}

/** Throws `error` where no cell has it. */
async function firstThatHas(
  request: FastifyRequest,
  reply: FastifyReply,
  cells: readonly Cell[],
  error: BillingError,
): Promise<FastifyReply> {
  for (const cell of cells) {
    const answer = await askedAt(request, cell)
    if (answer && answer.statusCode !== 404) return give(reply, answer)
    answer?.resume()
  }
  throw error
}

/** Throws `database_unavailable`, which names the cell. */
async function forward(request: FastifyRequest, reply: FastifyReply, cell: Cell): Promise<FastifyReply> {
  return give(reply, await requireAnswer(request, cell))
}

async function requireAnswer(request: FastifyRequest, cell: Cell): Promise<IncomingMessage> {
  const answer = await askedAt(request, cell)
  if (answer) return answer
  throw cellUnavailable(cell.name)
}

/** Null: none of its services answers. The next one is asked where nothing was sent. */
async function askedAt(
  request: FastifyRequest,
  { servers, standbys }: Cell,
): Promise<IncomingMessage | null> {
  for (const address of [...servers, ...standbys]) {
    const answer = await sendTo(address, request)
    if (answer !== 'unreachable') return answer
  }
  return null
}

function sendTo(address: string, request: FastifyRequest): Promise<IncomingMessage | null | 'unreachable'> {
  const body = bodyOf(request)
  const [host, port] = address.split(':')
  return new Promise((resolve) => {
    let isConnected = false
    // A file that nobody has read yet passes through, once there is a connection.
    const isFile = request.headers['content-type']?.startsWith('multipart/') && !request.raw.readableEnded
    const sent = http.request({
      ...{ host, port },
      method: request.method,
      // It may name a host of its own, as a proxy's: the cell reads past it.
      path: request.url,
      timeout: ANSWER_MS,
      headers: {
        ...passedOn(request.headers, isFile ? ['expect'] : ['content-length', 'expect']),
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
        'x-forwarded-for': request.ip,
        'x-request-id': request.id,
        [FORWARDED]: '1',
      },
    })
    const begin = () => {
      isConnected = true
      if (isFile) request.raw.pipe(sent)
    }
    sent.on('socket', (socket) => {
      if (socket.connecting) socket.once('connect', begin)
      else begin()
    })
    sent.on('response', resolve)
    sent.on('timeout', () => sent.destroy())
    sent.on('error', () => resolve(isConnected ? null : 'unreachable'))
    if (!isFile) sent.end(body)
  })
}

/** As it came; JSON may be written another way. */
function bodyOf({ body }: FastifyRequest): string | Buffer | undefined {
  if (body === undefined || body === null || Buffer.isBuffer(body)) return body ?? undefined
  return body instanceof URLSearchParams ? body.toString() : JSON.stringify(body)
}

function give(reply: FastifyReply, answer: IncomingMessage): FastifyReply {
  return reply
    .code(answer.statusCode ?? 502)
    .headers(passedOn(answer.headers, ['date']))
    .send(answer)
}

/** What is said of one connection alone (RFC 9110, 7.6.1). */
const OF_A_CONNECTION = 'connection keep-alive proxy-connection te trailer transfer-encoding upgrade'.split(
  ' ',
)

function passedOn(headers: IncomingHttpHeaders, but: readonly string[]): IncomingHttpHeaders {
  const isKept = (name: string) => !OF_A_CONNECTION.includes(name) && !but.includes(name)
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isKept(name)))
}
