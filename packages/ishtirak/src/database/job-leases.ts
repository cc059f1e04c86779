// Leases of jobs: one round per interval in the whole cluster, by the database's clock. The row of a lease
// says when the next round may begin. A process that dies loses only its own round.
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from './database.js'
import { at, instant, instantOrNull } from './rows.js'

const claim = statement(
  'job_leases.claim',
  `insert into job_leases as l (name, next_run_at) values ($1, $3::timestamptz)
       on conflict (name) do update set next_run_at = excluded.next_run_at
    where l.next_run_at <= $2::timestamptz
   returning name`,
)

/** Whether this process may run the round that is due at `now`; the next is due at `nextRunAt`. */
export async function claimRound(
  database: Queryable,
  name: string,
  when: { readonly now: Instant; readonly nextRunAt: Instant },
): Promise<boolean> {
  const rows = await database.query(claim, [name, at(when.now), at(when.nextRunAt)])
  return rows.length === 1
}

const selectLast = statement('job_leases.last', 'select max(next_run_at) as last from job_leases')

/** The last round of any job. While a service runs, it is at most a minute old. Null: none ever ran. */
export async function readLastRound(database: Queryable): Promise<Instant | null> {
  const [row = {}] = await database.query(selectLast)
  return instantOrNull(row, 'last')
}

const selectTime = statement(
  'server_time.read',
  `select date_trunc('milliseconds', clock_timestamp()) as now`,
)

/** Two machines whose clocks disagree confuse expiry and order. */
export async function readServerTime(database: Queryable): Promise<Instant> {
  const [row = {}] = await database.query(selectTime)
  return instant(row, 'now')
}
