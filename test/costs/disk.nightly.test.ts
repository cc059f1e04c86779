import { beforeAll, describe, it } from 'vitest'
import { type Database, type Row, statement } from '../../packages/ishtirak/src/database/database.js'
import { freshDatabase } from '../support/databases.js'
import { DISK } from './costs.js'
import { expectCost } from './expect-cost.js'
import { payMonths } from './paid-months.js'

const USERS = 500
const MONTHS = 10

const sizes = statement(
  'test.costs.sizes',
  `select c.relname as "table", coalesce(i.relname, 'rows') as part,
          round(pg_relation_size(coalesce(i.oid, c.oid))
                + case when i.oid is null then coalesce(pg_relation_size(nullif(c.reltoastrelid, 0)), 0)
                  else 0 end)::int as bytes
     from pg_class c
     left join lateral (
       select oid, relname from pg_class x join pg_index on indexrelid = oid where indrelid = c.oid
        union all select null, null
     ) i on true
    where c.relkind = 'r' and c.relname = any($1::text[])
    order by 1, i.oid is not null, 3 desc`,
)

describe(`${USERS} users who paid ${MONTHS} months`, () => {
  let parts: readonly Row[] = []
  beforeAll(async () => {
    const database: Database = await freshDatabase('postgres')
    await payMonths(database, USERS, MONTHS)
    parts = await database.query(sizes, [Object.keys(DISK)])
    console.table(
      parts.map(({ table, part, bytes }) => ({
        table,
        part,
        bytes: Math.round(Number(bytes) / USERS / MONTHS),
      })),
    )
    return () => database.close()
  })

  it.each(Object.entries(DISK))(
    '%s: rows and indexes take their bytes a payment, and no more',
    (table, most) => {
      const own = parts.filter((part) => part.table === table)
      const bytes = own.reduce((sum, part) => sum + Number(part.bytes), 0) / USERS / MONTHS
      expectCost(table, [bytes], most)
    },
  )
})
