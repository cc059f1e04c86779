// The checks of `/readyz`: the database answers soon, the program runs on its schema, the clock is right.
import { type Database, givenUpAfter, withLimit } from '../database/database.js'
import { schemaFit } from '../database/migrate.js'
import type { Clock } from '../runtime/clock.js'

/** The service was asked to stop: a load balancer should send its next request elsewhere. */
export const DRAINING = { ready: false, checks: { service: 'stopping' } }

/** Supervisors wait a second or two. */
const READINESS_LIMIT_MS = 1_500

export async function checkReadiness(database: Database, { guard }: Clock) {
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
