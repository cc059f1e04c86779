// How many queries a piece of work sends.
import type { Database, Queryable } from '../../packages/ishtirak/src/database/database.js'

/** The same database, and a count of the queries that went through it while `work` ran. */
export function counted(real: Database) {
  let sent = 0
  const counting = (database: Queryable): Queryable => ({
    query: (...asked) => {
      sent += 1
      return database.query(...asked)
    },
  })
  const database: Database = {
    ...real,
    ...counting(real),
    transaction: (work, ...more) =>
      real.transaction((one) => work({ ...counting(one), script: (sql) => one.script(sql) }), ...more),
  }
  const countOf = async (work: () => Promise<unknown>) => {
    sent = 0
    await work()
    return sent
  }
  return { database, countOf }
}
