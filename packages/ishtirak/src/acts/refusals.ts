// What operators were refused, in the audit trail: a role, a wrong key, a form of another page. Anyone can
// send a wrong key: equal refusals of a minute are one row for each process; the next tells how many came.
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

/** A caller who is not known. No key can have this name. */
export const UNKNOWN = '(unknown)'

const RECORDED: readonly ErrorCode[] = [
  'role_not_allowed',
  'sign_in_refused',
  'invalid_operator_key',
  'forbidden',
]

/** More than there are operators and acts. */
const KINDS_MAX = 1_000

/** `actor`: the operator's name; null: not known. It never fails: the caller is refused all the same. */
export function createRefusalLog(deps: RefusalDeps): RecordRefusal {
  const kinds = new BoundedMap<string, { readonly writtenAt: Instant; since: number }>(KINDS_MAX)
  return async ({ code, extra }, actor) => {
    if (!RECORDED.includes(code)) return
    const kind = JSON.stringify([actor, code, extra.act, extra.reason])
    const now = deps.clock.now()
    const last = kinds.get(kind)
    if (last && Math.abs(now - last.writtenAt) < MINUTE) {
      last.since += 1
      return
    }
    kinds.set(kind, { writtenAt: now, since: 0 })
    const after = {
      code,
      ...(extra.act !== undefined && { act: extra.act }),
      ...(extra.reason !== undefined && { reason: extra.reason }),
      refused: (last?.since ?? 0) + 1,
    }
    const act = { operator: { name: actor ?? UNKNOWN }, act: 'operator.refused' as const, reason: null }
    await recordAct(deps, act, { after }).catch((error: unknown) =>
      deps.log.warn({ err: error, code }, 'a refusal could not be written to the audit trail'),
    )
  }
}

/**
 * For a plugin: each of its refusals is recorded before it is answered. Not by a hook `onError`: while one is
 * waited for, Fastify throws when the deadline of the answer sends another.
 */
export function recordRefusals(
  app: FastifyInstance,
  record: RecordRefusal,
  actorOf: (request: FastifyRequest) => string | null,
): void {
  app.setErrorHandler(async (error, request) => {
    if (error instanceof BillingError) {
      // Without a key none was tried.
      const isTried = error.code !== 'invalid_operator_key' || request.headers.authorization !== undefined
      const { operator } = error.extra
      if (isTried) await record(error, typeof operator === 'string' ? operator : actorOf(request))
    }
    // The handler of the whole service answers it.
    throw error
  })
}
