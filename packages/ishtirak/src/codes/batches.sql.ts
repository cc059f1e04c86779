// Batches of codes as rows, with what is used and left of each.

import { type AuditEntry, type By, insertAudit } from '../acts/audit.sql.js'
import type { CodeBatch } from '../core/code.js'
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at } from '../database/rows.js'
import { viewRows } from '../ledger/schemas.js'
import { CodeBatchSchema } from './code-schemas.js'

const insert = statement(
  'codes.create',
  `with input as (
     select $1::jsonb as batch, $2::text[] as hashes, $3::jsonb as audit, $4::timestamptz as now
   ), made as (
     insert into code_batches (id, kind, plan, plan_id, months, percent, amount, count, uses, uses_per_user,
                               valid_from, valid_until, created_at, created_by, why)
     select b.id, b.kind, b.plan, b.plan_id, b.months, b.percent, b.amount, b.count, b.uses, b.uses_per_user,
            b.valid_from, b.valid_until, i.now, b.created_by, b.why
       from input i, jsonb_populate_record(null::code_batches, i.batch) b
     returning id
   ), filled as (
     insert into codes (hash, batch_id) select h.hash, m.id from input i, made m, unnest(i.hashes) h(hash)
   )
   ${insertAudit({ userId: "''", at: 'i.now', entry: 'i.audit', from: 'input i, made' })}`,
)

/** The batch with its codes and its line in the audit trail, or nothing. */
export async function insertBatch(
  database: Queryable,
  of: {
    readonly batch: CodeBatch
    readonly hashes: readonly string[]
    readonly by: By
    readonly now: Instant
    readonly audit: AuditEntry
  },
): Promise<void> {
  const { batch, hashes, by, now, audit } = of
  const { planId: plan_id, usesPerUser: uses_per_user, from, until, ...same } = batch
  const row = {
    ...same,
    ...{ plan_id, uses_per_user, valid_from: at(from), valid_until: at(until) },
    created_by: by.operator.name,
    why: by.reason,
  }
  await database.query(insert, [JSON.stringify(row), hashes, JSON.stringify(audit), at(now)])
}

const selectBatches = (name: string, which: string) =>
  statement(
    `codes.${name}`,
    `select b.id as batch_id, b.kind, b.plan_id as plan, b.months, b.percent, b.amount, b.count, b.uses,
            b.uses_per_user, b.valid_from as from, b.valid_until as until, b.created_at, b.created_by, b.why,
            b.revoked_at, b.revoked_by, c.used, c.left
       from (${which}) b
      cross join lateral (
        select sum(used)::int8 as used, sum(greatest(b.uses - used, 0))::int8 as left
          from codes where batch_id = b.id
      ) c
      order by b.created_at desc, b.id desc`,
  )
const selectNewest = selectBatches(
  'batches',
  'select * from code_batches order by created_at desc, id desc limit $1::int',
)
const selectOne = selectBatches('batch', 'select * from code_batches where id = $1')

export async function newestBatches(database: Queryable, limit: number) {
  return viewRows(CodeBatchSchema, await database.query(selectNewest, [limit]))
}

export async function findBatch(database: Queryable, batchId: string) {
  const [batch] = viewRows(CodeBatchSchema, await database.query(selectOne, [batchId]))
  return batch ?? null
}

const updateRevoked = statement(
  'codes.revoke',
  `with input as (
     select $1::text as batch_id, $2::text as operator, $3::jsonb as audit, $4::timestamptz as now
   ), revoked as (
     update code_batches b set revoked_at = i.now, revoked_by = i.operator
       from input i where b.id = i.batch_id and b.revoked_at is null
     returning b.id
   )
   ${insertAudit({ userId: "''", at: 'i.now', entry: 'i.audit', from: 'input i, revoked' })}
   returning id`,
)

/** False: there is none, or it was revoked before. */
export async function revoke(
  database: Queryable,
  of: {
    readonly batchId: string
    readonly by: By
    readonly now: Instant
    readonly audit: AuditEntry
  },
): Promise<boolean> {
  const { batchId, by, now, audit } = of
  const rows = await database.query(updateRevoked, [
    batchId,
    by.operator.name,
    JSON.stringify(audit),
    at(now),
  ])
  return rows.length === 1
}
