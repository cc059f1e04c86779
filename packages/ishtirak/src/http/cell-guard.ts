// In a cell: a request for a user of another one is refused before anything is read, with the cell that has
// them. What names the user: their token, the address, or the secret of their session in the portal.
import type { FastifyRequest } from 'fastify'
import { BillingError } from '../core/error.js'
import { type Cells, partIn, partOf } from '../runtime/cells.js'
import type { App } from './app.js'
import type { IdentifyUser } from './callers.js'

/** All but `has` and `hasReported` throw `wrong_cell`. */
export interface CellGuard {
  has(userId: string): boolean
  /** By what a provider says of a payment. What names nobody is the first cell's. */
  hasReported(of: Reported): boolean
  admitUser(userId: string): void
  /** By the mark at its end. One without a mark is nobody's. */
  admitPayment(paymentId: string): void
  /** By the mark at its beginning. */
  admitSecret(token: string): void
}

interface Reported {
  readonly paymentId: string | null
  readonly userId: string | null
}

function partReported({ paymentId, userId }: Reported): number | null {
  const marked = paymentId === null ? null : partIn(paymentId.slice(-2))
  return marked ?? (userId === null ? null : partOf(userId))
}

export function createCellGuard({ own, all, of }: Cells): CellGuard {
  const admit = (part: number | null) => {
    if (part === null || own.parts.has(part)) return
    throw new BillingError('wrong_cell', { extra: { cell: of(part).name } })
  }
  return {
    has: (userId) => own.parts.has(partOf(userId)),
    hasReported: (report) => {
      const part = partReported(report)
      return part === null ? own === all[0] : own.parts.has(part)
    },
    admitUser: (userId) => admit(partOf(userId)),
    admitPayment: (paymentId) => admit(partIn(paymentId.slice(-2))),
    admitSecret: (token) => admit(partIn(token.slice(0, 2))),
  }
}

export function usersOfCell(identify: IdentifyUser, guard: CellGuard): IdentifyUser {
  return async (request) => {
    const user = await identify(request)
    guard.admitUser(user.userId)
    return user
  }
}

/** After the caller is known, before the body is read. */
export function guardAddresses(app: App, guard: CellGuard): void {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const { user_id, payment_id } = texts(request.params)
    const { token, payment } = texts(request.query)
    if (user_id !== undefined) guard.admitUser(user_id)
    for (const id of [payment_id, payment]) if (id !== undefined) guard.admitPayment(id)
    if (token !== undefined) guard.admitSecret(token)
    done(null, payload)
  })
}

/** Those members of an address that are given once. */
function texts(of: FastifyRequest['params']): Readonly<Record<string, string | undefined>> {
  const members = Object.entries(Object(of)).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  )
  return Object.fromEntries(members)
}
