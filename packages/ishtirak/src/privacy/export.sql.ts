// All rows of a user, as they are stored. The digests of session secrets are not exported.
import { type Queryable, statement } from '../database/database.js'
import { json, text } from '../database/rows.js'

// A test compares this list with the tables that have a column user_id.
const TABLES = [
  ...['users', 'payments', 'provider_events', 'balance_entries', 'grants', 'documents', 'proformas'],
  ...['owed_invoices', 'transfers', 'transfer_proofs', 'discrepancies', 'usage', 'usage_operations'],
  ...['usage_refusals', 'code_tries', 'mails', 'user_search', 'outbox', 'audit'],
]

const rowsOf = (table: string) => `
   select '${table}' as part, to_jsonb(t) as row from ${table} t where user_id = $1`

// Bank lines are those that pay the user's payments.
const selectRows = statement(
  'privacy.rows',
  `select part, jsonb_agg(row) as rows from (
   ${TABLES.map(rowsOf).join(' union all ')}
    union all
   select 'bank_lines', to_jsonb(t) from bank_lines t
    where payment_id in (select id from payments where user_id = $1)
    union all
   select 'portal_sessions', to_jsonb(t) - 'link_digest' - 'session_digest'
     from portal_sessions t where user_id = $1
    union all
   select 'portal_link_requests', to_jsonb(t)
     from portal_link_requests t join users u on lower(u.email) = lower(t.email) where u.user_id = $1) known
    group by part`,
)

type StoredRow = Readonly<Record<string, unknown>>

/** By table; tables without a row are absent. */
export async function rowsOfUser(database: Queryable, userId: string) {
  const parts = await database.query(selectRows, [userId])
  return Object.fromEntries(parts.map((row) => [text(row, 'part'), json<readonly StoredRow[]>(row, 'rows')]))
}
