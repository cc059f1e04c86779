// Wrong keys of operators are noted in the audit trail, which is no change.
import { type Database, statement } from '../../packages/ishtirak/src/database/database.js'

const selectTables = statement(
  'fuzz.tables',
  `select tablename from pg_tables where schemaname = current_schema() order by tablename`,
)

export async function digestOf(database: Database): Promise<Readonly<Record<string, string>>> {
  const tables = (await database.query(selectTables, [])).map(({ tablename }) => String(tablename))
  const digests: Record<string, string> = {}
  for (const table of tables) {
    const select = `select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as digest
      from "${table}" t
       ${table === 'audit' ? `where act <> 'operator.refused'` : ''}`
    const [row] = await database.query(statement(`fuzz.digest.${table}`, select), [])
    digests[table] = String(row?.digest)
  }
  return digests
}

export function changedTables(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  return Object.keys(after).filter((table) => before[table] !== after[table])
}
