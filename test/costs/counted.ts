import type { Database, Queryable } from '../../packages/ishtirak/src/database/database.js'

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
