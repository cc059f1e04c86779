// In a cell: a request for a user of another one is refused before anything is read, with the cell that has
// them. What names the user: their token, the address, or the secret of their session in the portal.
import type { FastifyRequest } from 'fastify'
import { BillingError, userOnTheirWay } from '../core/error.js'
import { type CellPlaces, type Cells, partIn, partOf, partOfPayment } from '../runtime/cells.js'
import { type App, routeOf } from './app.js'
import type { IdentifyUser } from './callers.js'
import { problemResponses } from './problem.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether its user is still here. Null: of no user. */
    admit: (() => void) | null
  }
}

/** All but the first three throw `wrong_cell`, and `busy` for users who move. */
export interface CellGuard {
  whenKnown: CellPlaces['whenKnown']
  has(userId: string): boolean
  /** By what a provider says of a payment. What names no user is the first cell's. */
  hasReported(of: Reported): boolean
  admitUser(userId: string): void
  /** By the mark at its end. One without a mark is of no cell. */
  admitPayment(paymentId: string): void
  /** By the mark at its beginning. */
  admitSecret(token: string): void
}

interface Reported {
  readonly paymentId: string | null
  readonly userId: string | null
}

function partReported({ paymentId, userId }: Reported): number | null {
  const marked = paymentId === null ? null : partOfPayment(paymentId)
  return marked ?? (userId === null ? null : partOf(userId))
}

export function createCellGuard({ own, all }: Pick<Cells, 'own' | 'all'>, places: CellPlaces): CellGuard {
  const admit = (part: number | null) => {
    const cell = part === null ? own.name : places.of(part)
    if (cell === own.name) return
    if (cell === null) throw userOnTheirWay()
    throw new BillingError('wrong_cell', { extra: { cell } })
  }
  const has = (part: number) => places.of(part) === own.name
  return {
    whenKnown: () => places.whenKnown(),
    has: (userId) => has(partOf(userId)),
    hasReported: (report) => {
      const part = partReported(report)
      return part === null ? own === all[0] : has(part)
    },
    admitUser: (userId) => admit(partOf(userId)),
    admitPayment: (paymentId) => admit(partOfPayment(paymentId)),
    admitSecret: (token) => admit(partIn(token.slice(0, 2))),
  }
}

/**
 * What was read of a user who has moved meanwhile is not said: their rows may have gone before it was read.
 */
function admitAgain(app: App): void {
  app.decorateRequest('admit', null)
  app.addHook('preSerialization', async ({ method, admit }, _reply, payload) => {
    if (method === 'GET') admit?.()
    return payload
  })
}

export function usersOfCell(identify: IdentifyUser, guard: CellGuard): IdentifyUser {
  return async (request) => {
    const user = await identify(request)
    await guard.whenKnown()
    guard.admitUser(user.userId)
    request.admit = () => guard.admitUser(user.userId)
    return user
  }
}

/** What operators ask goes to the cell that it is about (acts/whole-shop.ts). */
const OF_OPERATORS = /^\/(api\/v1\/operator|console)\b/

/** In the API's document: of each route whose caller is known. */
function documentRefusals(app: App): void {
  app.addHook('onRoute', ({ url, schema }) => {
    if (schema?.security?.length && !OF_OPERATORS.test(url))
      schema.response = { ...Object(schema.response), ...problemResponses('wrong_cell') }
  })
}

/** After the caller is known, before the body is read. */
export function guardAddresses(app: App, guard: CellGuard): void {
  admitAgain(app)
  documentRefusals(app)
  app.addHook('preParsing', async (request, _reply, payload) => {
    if (OF_OPERATORS.test(routeOf(request))) return payload
    const { user_id, payment_id } = texts(request.params)
    const { token, payment } = texts(request.query)
    if (user_id ?? payment_id ?? token ?? payment) await guard.whenKnown()
    const admit = () => {
      if (user_id !== undefined) guard.admitUser(user_id)
      for (const id of [payment_id, payment]) if (id !== undefined) guard.admitPayment(id)
      if (token !== undefined) guard.admitSecret(token)
    }
    admit()
    request.admit ??= admit
    return payload
  })
}

/** Those members of an address that are given once. */
function texts(of: FastifyRequest['params']): Readonly<Record<string, string | undefined>> {
  const members = Object.entries(Object(of)).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  )
  return Object.fromEntries(members)
}
