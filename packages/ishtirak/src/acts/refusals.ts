// Records refusals of operators in the audit trail: a missing role, a wrong key, a form of another page.
// Anyone can send wrong keys, so each process writes one row a minute for equal refusals. The next row
// counts them.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BillingError, type ErrorCode } from '../core/error.js'
import { type Instant, MINUTE } from '../core/instant.js'
import { BoundedMap } from '../runtime/bounded-map.js'
import type { Log } from '../runtime/log.js'
import { type AuditDeps, recordAct } from './audit.sql.js'

export interface RefusalDeps extends AuditDeps {
  readonly log: Log
}

export type RecordRefusal = (refusal: BillingError, actor: string | null) => Promise<void>

/** The name of a caller who is not known. No key can have it. */
export const UNKNOWN = '(unknown)'

const RECORDED: readonly ErrorCode[] = [
  'role_not_allowed',
  'sign_in_refused',
  'invalid_operator_key',
  'forbidden',
]

/** The most kinds in memory. Operators and acts cause fewer. */
const KINDS_MAX = 1_000

/** `actor` is the operator's name, or null. If the entry cannot be written, that is only logged. */
export function createRefusalLog(deps: RefusalDeps): RecordRefusal {
  const kinds = new BoundedMap<string, { readonly writtenAt: Instant; leftOut: number }>(KINDS_MAX)
  return async ({ code, extra }, actor) => {
    if (!RECORDED.includes(code)) return
    const kind = JSON.stringify([actor, code, extra.act, extra.reason])
    const now = deps.clock.now()
    const last = kinds.get(kind)
    if (last && Math.abs(now - last.writtenAt) < MINUTE) {
      last.leftOut += 1
      return
    }
    kinds.set(kind, { writtenAt: now, leftOut: 0 })
    // JSON leaves out what is undefined.
    const after = { code, act: extra.act, reason: extra.reason, refused: (last?.leftOut ?? 0) + 1 }
    const act = { operator: { name: actor ?? UNKNOWN }, act: 'operator.refused', reason: null }
    await recordAct(deps, act, { after }).catch((error: unknown) =>
      deps.log.warn({ err: error, code }, 'a refusal could not be written to the audit trail'),
    )
  }
}

/**
 * Records each refusal of a plugin before it is answered. A hook `onError` cannot do it: if the deadline of
 * the answer passes while the hook runs, Fastify throws.
 */
export function recordRefusals(
  app: FastifyInstance,
  record: RecordRefusal,
  actorOf: (request: FastifyRequest) => string | null,
): void {
  app.setErrorHandler(async (error, request) => {
    if (error instanceof BillingError) {
      // A request without a key is not an attempt to guess one, so it is not recorded.
      const isTried = error.code !== 'invalid_operator_key' || request.headers.authorization !== undefined
      const { operator } = error.extra
      if (isTried) await record(error, typeof operator === 'string' ? operator : actorOf(request))
    }
    // The handler of the whole service answers it.
    throw error
  })
}
