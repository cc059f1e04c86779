// A provider's events that change nothing, as rows: about a payment of ours, or about an unknown one, of
// which it may be the only trace.
import type { CheckoutReport } from '../core/checkout.js'
import type { Instant } from '../core/instant.js'
import { withoutNulls } from '../core/without-nulls.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import { at, flag, text, textOrNull } from '../database/rows.js'

/** An event's id is unique within its method. */
export interface ReceivedEvent {
  readonly method: string
  readonly id: string
  readonly type: string
  readonly outcome: string
  readonly report: CheckoutReport | null
  readonly receivedAt: Instant
}

/** `duplicate`: the event is known, nothing was changed. `stale`: another revision was first. */
export type SaveResult = 'saved' | 'duplicate' | 'stale'

/** Reads a row that says whether the version still held, and whether the event was new. */
export function resultOf(row: Row): SaveResult {
  if (!flag(row, 'guarded')) return 'stale'
  return flag(row, 'effective') ? 'saved' : 'duplicate'
}

export const eventKey = (userId: string | null, { method, id }: Pick<ReceivedEvent, 'method' | 'id'>) =>
  JSON.stringify([userId, method, id])

/** An event that changes nothing: decided on `version` of the user, or about no payment of ours. */
export interface IdleEvent {
  readonly userId: string | null
  readonly version: number
  readonly paymentId: string | null
  readonly received: ReceivedEvent
}

// The version is compared without a lock: if it has changed, the event may matter after all.
const insertIdleEvents = statement(
  'settlements.store_idle',
  `with input as (
     select i.*, i.user_id is null or u.user_id is not null as is_current
       from jsonb_to_recordset($1::jsonb) as i(
              user_id text, version bigint, payment_id text, method text, id text, type text,
              checkout_id text, outcome text, amount bigint, report jsonb, received_at timestamptz)
       left join users u on u.user_id = i.user_id and u.version = i.version
   ), event as (
     insert into provider_events
       (user_id, method, id, type, checkout_id, payment_id, outcome, amount, report, received_at)
     select user_id, method, id, type, checkout_id, payment_id, outcome, amount, report, received_at
       from input where user_id is not null and is_current order by user_id, method, id
         on conflict do nothing
     returning user_id, method, id
   ), unmatched as (
     insert into unmatched_events (method, id, type, checkout_id, outcome, report, received_at)
     select method, id, type, checkout_id, outcome, report, received_at
       from input where user_id is null order by method, id
         on conflict do nothing
     returning null::text as user_id, method, id
   )
   select i.user_id, i.method, i.id, i.is_current as guarded, e.id is not null as effective
     from input i
     left join (select * from event union all select * from unmatched) e
       on e.user_id is not distinct from i.user_id and e.method = i.method and e.id = i.id`,
)

/** A payment stores what was reported about it; otherwise the event's row does. */
export function receivedToColumns(
  { method, id, type, outcome, report }: ReceivedEvent,
  keepsReport: boolean,
) {
  const { checkoutId: checkout_id = null, amount = null } = report ?? {}
  return withoutNulls({ method, id, type, outcome, checkout_id, amount, report: keepsReport ? report : null })
}

/** Keeps several events. Two copies of one event must come in two calls. */
export async function storeIdleEvents(
  database: Queryable,
  events: readonly IdleEvent[],
): Promise<readonly SaveResult[]> {
  const input = events.map(({ userId, version, paymentId, received }) => ({
    user_id: userId,
    version,
    payment_id: paymentId,
    ...receivedToColumns(received, true),
    received_at: at(received.receivedAt),
  }))
  const rows = await database.query(insertIdleEvents, [JSON.stringify(input)])
  const results = new Map(
    rows.map((row) => {
      const event = { method: text(row, 'method'), id: text(row, 'id') }
      return [eventKey(textOrNull(row, 'user_id'), event), resultOf(row)]
    }),
  )
  return events.map(({ userId, received }) => results.get(eventKey(userId, received)) ?? 'stale')
}
