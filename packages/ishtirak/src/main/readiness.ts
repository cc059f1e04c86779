// What `/readyz` says: whether the database answers soon, and this program runs on its schema.
import { type Database, givenUpAfter, withLimit } from '../database/database.js'
import { schemaFit } from '../database/migrate.js'

/** Asked to stop: a balancer should send its next request elsewhere. */
export const DRAINING = { ready: false, checks: { service: 'stopping' } }

/** Supervisors wait a second or two. */
const READINESS_LIMIT_MS = 1_500

export async function checkReadiness(database: Database) {
  const { current, expected, runs } = await schemaFit(withLimit(database, givenUpAfter(READINESS_LIMIT_MS)))
  const schema = `at ${current}, ${runs ? 'newer and compatible' : `expected ${expected}`}`
  return { ready: runs, checks: { database: 'ok', schema: current === expected ? 'ok' : schema } }
}
