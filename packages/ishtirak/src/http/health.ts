// Liveness and readiness, for machines. Neither says anything about users or money.
import type { FastifyPluginCallback } from 'fastify'
import Type from 'typebox'
import { BillingError } from '../core/error.js'
import { type Database, givenUpAfter, withLimit } from '../database/database.js'
import { schemaFit } from '../database/migrate.js'
import type { Clock } from '../runtime/clock.js'
import { problemResponses } from './problem.js'

/** `checks` has the name of each check, such as `schema`, with `ok` or the problem in a word or two. */
export interface Readiness {
  readonly ready: boolean
  readonly checks: Readonly<Record<string, string>>
}

/** The service was asked to stop: a load balancer should send its next request elsewhere. */
export const DRAINING: Readiness = { ready: false, checks: { service: 'stopping' } }

/** Supervisors wait a second or two. */
const READINESS_LIMIT_MS = 1_500

/** The database answers soon, the program runs on its schema, and the clock is right. */
export async function checkReadiness(database: Database, { guard }: Clock): Promise<Readiness> {
  const { current, expected, runs } = await schemaFit(withLimit(database, givenUpAfter(READINESS_LIMIT_MS)))
  const schema = `at ${current}, ${runs ? 'newer and compatible' : `expected ${expected}`}`
  const trouble = guard?.trouble() ?? null
  const checks = {
    database: 'ok',
    schema: current === expected ? 'ok' : schema,
    clock: trouble?.words ?? 'ok',
  }
  return { ready: runs && trouble === null, checks }
}

/** Anyone may ask at any rate: all calls within `sharedMs` share one check. */
export function shareChecks<Answer>(check: () => Promise<Answer>, sharedMs = 1_000): () => Promise<Answer> {
  let latest: { readonly askedAt: number; readonly answer: Promise<Answer> } | undefined
  return () => {
    // Not the service's clock, because tests move that one.
    const now = performance.now()
    if (!latest || now >= latest.askedAt + sharedMs) latest = { askedAt: now, answer: check() }
    return latest.answer
  }
}

export function healthRoutes(check: () => Promise<Readiness>): FastifyPluginCallback {
  return (app, _options, done) => {
    app.get('/healthz', { schema: described('getHealth', 'Alive', healthy) }, () => ({ status: 'ok' }))
    const summary = 'Ready: the database can be reached and this version runs on its schema'
    app.get('/readyz', { schema: described('getReadiness', summary, readinessAnswers) }, async () => {
      const { ready, checks } = await check()
      if (!ready) throw new BillingError('not_ready', { extra: { checks } })
      return { status: 'ready', checks }
    })
    done()
  }
}

const described = (operationId: string, summary: string, response: object) => ({
  ...{ security: [], tags: ['operation'], operationId, summary, response },
})

const healthy = { 200: Type.Object({ status: Type.Literal('ok') }) }

const CHECKS = { examples: [{ database: 'ok', schema: 'ok', clock: 'ok' }] }
const readinessAnswers = {
  200: Type.Object({
    status: Type.Literal('ready'),
    checks: Type.Record(Type.String(), Type.String(), CHECKS),
  }),
  ...problemResponses('not_ready'),
}
