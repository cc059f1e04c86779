// The query of discrepancies for the inbox.

// Reads the last finished reconciliation of each method. Earlier ones are outdated; fifty cover many days. An
// unknown checkout may name a payment that is not ours.
export const FOUND = `
  select d.found_at, d.id, d.user_id, (select p.id from payments p where p.id = d.payment_id limit 1),
         (d.details->>'amount')::bigint, d.kind
    from (select distinct on (method) id, started_at
            from (select id, method, started_at from reconciliations
                   where finished_at is not null order by started_at desc limit 50) newest
           order by method, started_at desc) r
    join discrepancies d on d.seen_at >= r.started_at and d.reconciliation_id = r.id
   where d.outcome in ('reported', 'unknown_checkout') and d.closed_at is null`
