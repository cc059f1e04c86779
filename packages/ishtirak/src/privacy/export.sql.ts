// Everything that is known of a user, as the stored rows. Digests of secrets of a session are left out.
import { type Queryable, statement } from '../database/database.js'
import { json, text } from '../database/rows.js'

// Each table with a user has a part here, which a test checks. Bank lines are those that pay the user's
// payments.
const selectRows = statement(
  'privacy.rows',
  `select part, jsonb_agg(row) as rows from (
   select 'users' as part, to_jsonb(t) as row from users t where user_id = $1
    union all
   select 'payments', to_jsonb(t) from payments t where user_id = $1
    union all
   select 'provider_events', to_jsonb(t) from provider_events t where user_id = $1
    union all
   select 'balance_entries', to_jsonb(t) from balance_entries t where user_id = $1
    union all
   select 'grants', to_jsonb(t) from grants t where user_id = $1
    union all
   select 'documents', to_jsonb(t) from documents t where user_id = $1
    union all
   select 'proformas', to_jsonb(t) from proformas t where user_id = $1
    union all
   select 'owed_invoices', to_jsonb(t) from owed_invoices t where user_id = $1
    union all
   select 'transfers', to_jsonb(t) from transfers t where user_id = $1
    union all
   select 'transfer_proofs', to_jsonb(t) from transfer_proofs t where user_id = $1
    union all
   select 'bank_lines', to_jsonb(t) from bank_lines t
    where payment_id in (select id from payments where user_id = $1)
    union all
   select 'discrepancies', to_jsonb(t) from discrepancies t where user_id = $1
    union all
   select 'usage', to_jsonb(t) from usage t where user_id = $1
    union all
   select 'usage_operations', to_jsonb(t) from usage_operations t where user_id = $1
    union all
   select 'usage_refusals', to_jsonb(t) from usage_refusals t where user_id = $1
    union all
   select 'code_tries', to_jsonb(t) from code_tries t where user_id = $1
    union all
   select 'mails', to_jsonb(t) from mails t where user_id = $1
    union all
   select 'portal_sessions', to_jsonb(t) - 'link_digest' - 'session_digest'
     from portal_sessions t where user_id = $1
    union all
   select 'portal_link_requests', to_jsonb(t)
     from portal_link_requests t join users u on lower(u.email) = lower(t.email) where u.user_id = $1
    union all
   select 'user_search', to_jsonb(t) from user_search t where user_id = $1
    union all
   select 'outbox', to_jsonb(t) from outbox t where user_id = $1
    union all
   select 'audit', to_jsonb(t) from audit t where user_id = $1) known
    group by part`,
)

type StoredRow = Readonly<Record<string, unknown>>

/** The rows by the name of their table. Tables without a row are absent. */
export async function rowsOfUser(
  database: Queryable,
  userId: string,
): Promise<Readonly<Record<string, readonly StoredRow[]>>> {
  const parts = await database.query(selectRows, [userId])
  return Object.fromEntries(parts.map((row) => [text(row, 'part'), json<readonly StoredRow[]>(row, 'rows')]))
}
