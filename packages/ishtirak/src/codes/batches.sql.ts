// Batches of codes as rows, with the used and remaining uses of each.

import { type AuditEntry, insertAudit } from '../acts/audit.sql.js'
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at } from '../database/rows.js'
import { viewRows, viewRowsAt } from '../ledger/schemas.js'
import { CodeBatchSchema, CodeUseSchema } from './code-schemas.js'
import { HOLDS_CODE } from './code-uses.sql.js'

const insert = statement(
  'codes.create',
  `with made as (
     insert into code_batches select * from jsonb_populate_record(null::code_batches, $1::jsonb) returning id
   ), filled as (
     insert into codes (hash, batch_id) select h.hash, m.id from made m, unnest($2::text[]) h(hash)
   )
   ${insertAudit({ userId: "''", at: '$4::timestamptz', entry: '$3::jsonb', from: 'made' })}`,
)

interface Position {
  readonly at: Instant
  readonly id: string
}

/** Stores the batch (a row) with its codes and its line in the audit trail, or nothing. */
export async function insertBatch(
  database: Queryable,
  of: { readonly batch: object; readonly hashes: readonly string[]; readonly audit: AuditEntry },
  now: Instant,
): Promise<void> {
  await database.query(insert, [JSON.stringify(of.batch), of.hashes, JSON.stringify(of.audit), at(now)])
}

const BATCH = `b.id as batch_id, b.kind, b.plan_id as plan, b.months, b.percent, b.amount, b.count, b.uses,
            b.uses_per_user, b.valid_from as from, b.valid_until as until, b.created_at, b.created_by, b.why,
            b.revoked_at, b.revoked_by, c.used, c.left`
const CODES_OF_BATCH = `(
        select sum(used)::int8 as used, sum(greatest(b.uses - used, 0))::int8 as left
          from codes where batch_id = b.id) c`

const selectNewest = statement(
  'codes.batches',
  `select ${BATCH}
     from (select * from code_batches
            where (created_at, id) < (coalesce($1::timestamptz, 'infinity'), coalesce($2, ''))
              and strpos(lower(why), lower($3::text)) > 0
            order by created_at desc, id desc limit $4::int) b
    cross join lateral ${CODES_OF_BATCH}
    order by b.created_at desc, b.id desc`,
)
const selectOne = statement(
  'codes.batch',
  `select ${BATCH} from code_batches b cross join lateral ${CODES_OF_BATCH} where b.id = $1`,
)

/** `q` is a text that the reason contains. */
export async function newestBatches(
  database: Queryable,
  { after, q, limit }: { after: Position | null; q: string; limit: number },
) {
  const found = await database.query(selectNewest, [after && at(after.at), after?.id ?? null, q, limit])
  return viewRowsAt(CodeBatchSchema, found, 'created_at')
}

export async function findBatch(database: Queryable, batchId: string) {
  const [batch] = viewRows(CodeBatchSchema, await database.query(selectOne, [batchId]))
  return batch ?? null
}

const BEHIND = "(coalesce($2::timestamptz, 'infinity'), coalesce($3, ''))"

// The newest uses of each code: a batch has one code with many uses, or many with few.
const selectUses = statement(
  'codes.uses',
  `select u.* from codes c
    cross join lateral (
      (select p.created_at as used_at, p.id as use_id, p.user_id,
              case when p.status in ('paid', 'refunded') then p.status else 'open' end as state,
              p.plan->>'id' as plan, p.months, p.amount, p.discount, p.period_start, p.period_end
         from payments p
        where p.code_hash = c.hash and ${HOLDS_CODE} and (p.created_at, p.id) < ${BEHIND}
        order by p.created_at desc, p.id desc limit $4::int)
       union all
      (select g.granted_at, g.id, g.user_id, 'redeemed', g.plan->>'id', g.months, 0, 0,
              g.period_start, g.period_end
         from grants g
        where g.code_hash = c.hash and (g.granted_at, g.id) < ${BEHIND}
        order by g.granted_at desc, g.id desc limit $4::int)
    ) u
    where c.batch_id = $1
    order by u.used_at desc, u.use_id desc limit $4::int`,
)

export async function usesOfBatch(
  database: Queryable,
  { batchId, after, limit }: { batchId: string; after: Position | null; limit: number },
) {
  const asked = [batchId, after && at(after.at), after?.id ?? null, limit]
  return viewRowsAt(CodeUseSchema, await database.query(selectUses, asked), 'used_at')
}

const revokeBatch = statement(
  'codes.revoke',
  `with revoked as (
     update code_batches set revoked_at = $3::timestamptz, revoked_by = $2::jsonb->>'actor'
      where id = $1 and revoked_at is null
     returning id
   )
   ${insertAudit({ userId: "''", at: '$3::timestamptz', entry: '$2::jsonb', from: 'revoked' })}
   returning id`,
)

/** False: the batch was revoked before. */
export async function revoke(
  database: Queryable,
  batchId: string,
  of: { readonly audit: AuditEntry; readonly now: Instant },
): Promise<boolean> {
  const rows = await database.query(revokeBatch, [batchId, JSON.stringify(of.audit), at(of.now)])
  return rows.length === 1
}
