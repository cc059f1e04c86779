// The service's tables, read in one statement without the service: the rules are checked on them.
import type { SubscriptionFacts } from '../../packages/ishtirak/src/core/subscription.js'
import { type Database, statement } from '../../packages/ishtirak/src/database/database.js'
import { text } from '../../packages/ishtirak/src/database/rows.js'
import { FACT_COLUMNS, parseUser } from '../../packages/ishtirak/src/ledger/users.sql.js'
import type { Line } from './model.js'

export interface Ledger {
  readonly users: readonly {
    readonly user: string
    readonly sequence: number
    readonly balance: number
    readonly buyer: StoredBuyer | null
  }[]
  readonly payments: readonly BookedPayment[]
  readonly documents: readonly BookedDocument[]
  readonly series: readonly { readonly series: string; readonly last: number }[]
  /** Users whose payments are to be looked at for invoices. */
  readonly owing: readonly string[]
  readonly outbox: readonly OutboxLine[]
  readonly events: readonly { readonly id: string; readonly user: string }[]
  readonly grants: readonly BookedGrant[]
  readonly transfers: readonly BookedTransfer[]
  readonly entries: readonly BookedEntry[]
  /** By batch, which has one code each. */
  readonly codes: readonly { readonly hash: string; readonly batch: string; readonly used: number }[]
}

export type StoredBuyer = Readonly<Record<'kind', string>> &
  Readonly<Record<'name' | 'address' | 'rc' | 'nif' | 'nis' | 'ai' | 'legal_form', string | null>>

export interface BookedDocument {
  readonly user: string
  readonly payment: string
  readonly kind: 'receipt' | 'invoice' | 'credit_note'
  readonly place: number
  readonly series: string
  readonly number: number
  readonly at: number
  readonly on: string
  readonly about: string | null
  readonly amount: number
  readonly stamp: number
  readonly details: StoredBuyer | null
}

export interface BookedPayment {
  readonly user: string
  readonly id: string
  readonly method: string
  readonly status: string
  /** Once it is booked: what came. */
  readonly amount: number
  readonly asked: number
  readonly kind: 'purchase' | 'change' | 'top_up'
  readonly plan: string | null
  readonly months: number | null
  /** What a change was asked for; once it is booked, what it did. */
  readonly change: {
    readonly credit: number
    readonly parts: readonly {
      readonly sourceId: string
      readonly amount: number
      readonly lastChange: string | null
      readonly days?: number
    }[]
  } | null
  readonly discount: number
  readonly code: string | null
  readonly secondOf: string | null
  readonly checkout: string | null
  readonly createdAt: number
  readonly expiresAt: number
  readonly askedAt: number | null
  readonly paidAt: number | null
  readonly start: number | null
  readonly end: number | null
  /** The provider's report as it was read while the payment was under review. */
  readonly reviewed: { readonly status: string; readonly amount: number | null } | null
}

export interface BookedGrant {
  readonly user: string
  readonly id: string
  readonly operation: string | null
  readonly code: string | null
  readonly months: number
  readonly days: number
  readonly start: number
  readonly end: number
}

export interface BookedTransfer {
  readonly user: string
  readonly payment: string
  readonly reference: string
  readonly state: string
  readonly provedAt: number | null
  readonly approvals: readonly {
    readonly by: string
    readonly at: number
    readonly amount: number
    readonly instrument: string
  }[]
}

interface BookedEntry extends Omit<Line, 'of'> {
  readonly user: string
  readonly sequence: number
  readonly id: string
  readonly before: number
  readonly payment: string | null
}

interface OutboxLine {
  readonly id: string
  readonly user: string
  readonly sequence: number
  readonly type: string
  readonly at: number
  readonly payment: string | null
  readonly grant: string | null
  readonly balance: {
    readonly renewal: { readonly plan: string; readonly months: number; readonly price: number } | null
    readonly entry: { readonly id: string } | null
  } | null
}

const readAll = statement(
  'simulation.ledger',
  `select jsonb_build_object(
     'users', (select coalesce(jsonb_agg(jsonb_build_object(
         'user', user_id, 'sequence', event_sequence, 'balance', balance, 'buyer', buyer)), '[]') from users),
     'payments', (select coalesce(jsonb_agg(jsonb_build_object(
         'user', user_id, 'id', id, 'method', method, 'status', status, 'amount', amount,
         'asked', coalesce(amount_asked, amount), 'checkout', method_reference,
         'kind', kind, 'plan', plan->>'id', 'change', change,
         'months', months, 'discount', discount, 'code', code_hash, 'secondOf', second_of,
         'createdAt', extract(epoch from created_at) * 1000, 'expiresAt', extract(epoch
           from expires_at) * 1000,
         'askedAt', extract(epoch from asked_at) * 1000, 'paidAt', extract(epoch from paid_at) * 1000,
         'start', extract(epoch from period_start) * 1000, 'end', extract(epoch from period_end) * 1000,
         'reviewed', review
       ) order by created_at, id), '[]') from payments),
     'documents', (select coalesce(jsonb_agg(jsonb_build_object(
         'user', user_id, 'payment', payment_id, 'kind', kind,
         'place', place, 'series', series, 'number', number, 'at', extract(epoch from issued_at) * 1000,
         'on', issued_on, 'about', snapshot->'about'->'number', 'amount', snapshot->'amount',
         'stamp', duty_centimes, 'details', snapshot->'buyer'->'details')
           order by series, number), '[]') from documents),
     'series', (select coalesce(jsonb_agg(jsonb_build_object(
         'series', series, 'last', last_number)), '[]') from document_series),
     'owing', (select coalesce(jsonb_agg(user_id), '[]') from owed_invoices),
     'outbox', (select coalesce(jsonb_agg(jsonb_build_object(
         'id', o.id, 'user', o.user_id, 'sequence', o.sequence, 'type', o.type,
         'at', extract(epoch from o.created_at) * 1000, 'payment', o.payment_id,
         'balance', case when o.type like 'balance.%' then l.content->'balance' end,
         'grant', l.content->'grant'->>'id') order by o.user_id, o.sequence), '[]')
       from outbox o, lateral (
         select content from outbox l
          where l.user_id = o.user_id and l.sequence >= o.sequence and l.content is not null
          order by l.sequence limit 1) l),
     'events', (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'user', user_id)), '[]') from (
         select id, user_id from provider_events union all select id, null from unmatched_events) e),
     'grants', (select coalesce(jsonb_agg(jsonb_build_object(
         'user', user_id, 'id', id, 'operation', operation_id, 'code', code_hash,
         'months', months, 'days', days,
         'start', extract(epoch from period_start) * 1000, 'end', extract(epoch from period_end) * 1000)),
           '[]') from grants),
     'transfers', (select coalesce(jsonb_agg(jsonb_build_object(
         'user', user_id, 'payment', payment_id, 'reference', reference, 'state', state,
         'provedAt', extract(epoch from proof_at) * 1000, 'approvals', approvals) order by payment_id),
           '[]') from transfers),
     'entries', (select coalesce(jsonb_agg(jsonb_build_object(
         'user', user_id, 'sequence', sequence, 'id', id, 'kind', kind, 'amount', amount,
         'before', balance_before, 'after', balance_after, 'payment', payment_id,
         'at', extract(epoch from created_at) * 1000) order by user_id, sequence), '[]')
           from balance_entries),
     'codes', (select coalesce(jsonb_agg(jsonb_build_object('hash', hash, 'batch', batch_id, 'used', used)),
       '[]') from codes)
   ) as ledger`,
)

const readFacts = statement('simulation.facts', `select u.user_id, ${FACT_COLUMNS} from users u`)

export async function readAllFacts(database: Database): Promise<ReadonlyMap<string, SubscriptionFacts>> {
  const rows = await database.query(readFacts)
  return new Map(rows.map((row) => [text(row, 'user_id'), parseUser(row).subscription]))
}

export async function readLedger(database: Database): Promise<Ledger> {
  const [row] = await database.query(readAll)
  return row?.ledger as Ledger
}

/** Each seed begins with empty tables. Truncating an empty table costs as much as truncating a full one. */
const emptyTables = `
  do $$
  declare
    one text;
    has_rows boolean;
  begin
    for one in select tablename from pg_tables where schemaname = current_schema()
      and tablename <> 'schema_migrations'
    loop
      execute format('select exists (select from %I)', one) into has_rows;
      if has_rows then execute format('truncate %I cascade', one); end if;
    end loop;
  end $$`

export async function clearLedger(database: Database): Promise<void> {
  await database.script(emptyTables)
}
