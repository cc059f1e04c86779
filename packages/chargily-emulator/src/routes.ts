// What the API routes share: their mode, how a body is read and how an answer is written.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CheckoutService } from './checkout-service.js'
import type { EmulatorContext } from './context.js'
import { notFound } from './errors.js'
import { readInput } from './laravel-input.js'
import { encodePhpJson, type JsonObject } from './php-json.js'
import type { Table } from './table.js'

export interface ApiContext {
  readonly desk: EmulatorContext
  readonly checkoutService: CheckoutService
  readonly livemode: boolean
}

/** A route whose path names one resource. */
export interface ById {
  Params: { id: string }
}

/** Always 200 unless a status was set before: creating answers 200 too, not 201. */
export function sendJson(reply: FastifyReply, body: JsonObject): FastifyReply {
  // As bytes, because Fastify would add a charset to the type of a string, and Laravel names none.
  return reply.type('application/json').send(Buffer.from(encodePhpJson(body)))
}

export function inputOf(request: FastifyRequest): JsonObject {
  return readInput(request.headers['content-type'], request.body)
}

export function findOr404<Kind extends { id: string; livemode: boolean }>(
  table: Table<Kind>,
  id: string,
  livemode: boolean,
): Kind {
  const found = table.find(id, livemode)
  if (!found) throw notFound()
  return found
}
