// Which kinds of database a run of the tests covers.
import type { Database } from '../../packages/ishtirak/src/database/database.js'

export type DatabaseKind = Database['kind']

export const BOTH: readonly DatabaseKind[] = ['pglite', 'postgres']

/** Those of the scenarios. Everything that a scenario does to a database is tested on both kinds in the store's tests. */
export const SCENARIO_KINDS = kindsNamed(process.env.TEST_DATABASES)

function kindsNamed(given: string | undefined): readonly DatabaseKind[] {
  if (given === undefined || given === 'embedded') return ['pglite']
  if (given === 'both') return BOTH
  throw new Error(`TEST_DATABASES is embedded or both, not ${given}`)
}
