import type { Database } from '../../packages/ishtirak/src/database/database.js'

/**
 * A database with members of the test's own, which watch, delay or refuse. The test file owns its database: a
 * service that stops must not close it for the next test.
 */
export function databaseWith(of: () => Database, own: Partial<Database> = {}): Database {
  return {
    kind: of().kind,
    query: (...given) => of().query(...given),
    transaction: (...given) => of().transaction(...given),
    script: (text) => of().script(text),
    close: async () => undefined,
    ...own,
  }
}
