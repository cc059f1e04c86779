// What comparisons found, as rows of the inbox.
import { FINDING_ID } from './findings.sql.js'

// Of a comparison that has ended, the last of each method. Earlier ones are of other times; fifty are those
// of many days.
const LAST_COMPARISONS = `
  select distinct on (method) id, started_at
    from (select id, method, started_at from comparisons
           where finished_at is not null order by started_at desc limit 50) newest
   order by method, started_at desc`

// An unknown checkout may name a payment that is not ours.
export const FOUND = `
  select f.found_at, ${FINDING_ID}, nullif(f.user_id, ''),
         (select p.id from payments p where p.id = f.payment_id limit 1), (f.details->>'amount')::bigint,
           f.kind
    from (${LAST_COMPARISONS}) c
    join comparison_findings f on f.seen_at >= c.started_at and f.comparison_id = c.id
   where f.outcome in ('reported', 'unknown_checkout') and f.closed_at is null`
