// Reads reconciliations with their discrepancies for operators, and closes discrepancies.

import { type AuditEntry, insertAudit } from '../acts/audit.sql.js'
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at } from '../database/rows.js'
import { viewRows } from '../ledger/schemas.js'
import { DiscrepancySchema, ReconciliationSchema } from './reconciliation-schemas.js'

const SELECT = `select d.id, d.user_id, d.method as gateway, d.checkout_id, d.kind, d.payment_id, d.outcome,
          d.details, d.found_at, d.seen_at, d.version, d.closed_at, d.closed_by, d.closed_because
     from discrepancies d`

// Uses the index discrepancies_by_id.
const selectDiscrepancy = statement('discrepancies.one', `${SELECT} where d.id = $1`)

export async function findDiscrepancy(database: Queryable, id: string) {
  const [discrepancy = null] = viewRows(DiscrepancySchema, await database.query(selectDiscrepancy, [id]))
  return discrepancy
}

const close = statement(
  'discrepancies.close',
  `with closed as (
     update discrepancies set closed_at = $2::timestamptz, closed_by = $3, closed_because = $4
      where id = $1 and closed_at is null and version = $6::int
     returning user_id
   )
   ${insertAudit({
     ...{ userId: "coalesce(c.user_id, '')", at: '$2::timestamptz', entry: '$5::jsonb' },
     from: 'closed c',
   })}
   returning id`,
)

/** Writes the line of the trail too. False: it is already closed, or has changed since it was shown. */
export async function saveClosed(
  database: Queryable,
  id: string,
  { audit, version, now }: { readonly audit: AuditEntry; readonly version: number; readonly now: Instant },
): Promise<boolean> {
  const values = [id, at(now), audit.actor, audit.reason ?? '', JSON.stringify(audit), version]
  return (await database.query(close, values)).length > 0
}

const selectReconciliations = statement(
  'reconciliations.list',
  `select id, since_at as since, started_by, started_at, finished_at, next_round_at, calls, checkouts,
          discrepancies
     from reconciliations
    where $1::text is null or id = $1
    order by started_at desc
    limit $2::int`,
)

const NEWEST_FIRST = 'order by d.seen_at desc, d.checkout_id limit $1::int'
const selectNewest = statement('discrepancies.newest', `${SELECT} ${NEWEST_FIRST}`)

// Seen since the reconciliation began, by clocks that may differ. Earlier ones are not read, however many
// there are.
const selectFound = statement(
  'discrepancies.found',
  `${SELECT}
    where d.reconciliation_id = $2
      and d.seen_at >= (select started_at - interval '1 day' from reconciliations where id = $2)
    ${NEWEST_FIRST}`,
)

/** Newest first, with the discrepancies: one reconciliation, or (null) the last ones. */
export async function readReconciliations(
  database: Queryable,
  id: string | null,
  limits: { readonly reconciliations: number; readonly discrepancies: number },
) {
  const reconciliations = await database.query(selectReconciliations, [id, limits.reconciliations])
  const discrepancies =
    id === null
      ? await database.query(selectNewest, [limits.discrepancies])
      : await database.query(selectFound, [limits.discrepancies, id])
  return {
    reconciliations: viewRows(ReconciliationSchema, reconciliations),
    discrepancies: viewRows(DiscrepancySchema, discrepancies),
  }
}

/**
 * For the inbox: the open discrepancies of the last finished reconciliation of each method. Earlier ones are
 * outdated; fifty cover many days. An unknown checkout may name a payment that is not ours.
 */
export const OPEN_DISCREPANCIES = `
  select d.found_at, d.id, d.user_id, (select p.id from payments p where p.id = d.payment_id limit 1),
         (d.details->>'amount')::bigint, d.kind
    from (select distinct on (method) id, started_at
            from (select id, method, started_at from reconciliations
                   where finished_at is not null order by started_at desc limit 50) newest
           order by method, started_at desc) r
    join discrepancies d on d.seen_at >= r.started_at and d.reconciliation_id = r.id
   where d.outcome in ('reported', 'unknown_checkout') and d.closed_at is null`
