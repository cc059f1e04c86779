// Mail to send, as rows that are saved with their event: claimed, finished and finally deleted. Claiming sets
// a later due time, so that any number of processes may send.

import { type AuditEntry, insertAudit } from '../acts/audit.sql.js'
import { type Instant, MINUTE } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at, column, flag, instant, integer, rowOf, text, textOrNull } from '../database/rows.js'
import { FACT_COLUMNS, parseUser } from '../ledger/users.sql.js'

const parseMail = rowOf({
  userId: text,
  kind: text,
  about: text,
  queuedAt: instant,
  /** The attempts, including this one. */
  attempts: integer,
  /** The end of this process's lease. */
  leaseUntil: column('due_at', instant),
  user: parseUser,
})
export type ClaimedMail = ReturnType<typeof parseMail>

// Uses the index mails_due.
const claimDue = statement(
  'mails.claim',
  `with due as (
     select user_id, kind, about from mails
      where due_at <= $1::timestamptz
      order by due_at
      limit $2::int
        for update skip locked
   )
   update mails m set due_at = $3::timestamptz, attempts = m.attempts + 1
     from due d join users u on u.user_id = d.user_id
    where m.user_id = d.user_id and m.kind = d.kind and m.about = d.about
   returning m.user_id, m.kind, m.about, m.queued_at, m.attempts, m.due_at, ${FACT_COLUMNS}`,
)

export async function claimDueMails(
  database: Queryable,
  claim: { readonly now: Instant; readonly limit: number; readonly leaseUntil: Instant },
): Promise<readonly ClaimedMail[]> {
  const values = [at(claim.now), claim.limit, at(claim.leaseUntil)]
  return (await database.query(claimDue, values)).map(parseMail)
}

const finish = statement(
  'mails.finish',
  `update mails set due_at = $5::timestamptz, outcome = $6
    where user_id = $1 and kind = $2 and about = $3 and due_at = $4::timestamptz
   returning kind`,
)

/** `dueAt` null: it is done. A process that lost its lease changes nothing. */
export async function finishMail(
  database: Queryable,
  mail: ClaimedMail,
  result: { readonly dueAt: Instant | null; readonly outcome: string },
): Promise<void> {
  const key = [mail.userId, mail.kind, mail.about]
  await database.query(finish, [...key, at(mail.leaseUntil), at(result.dueAt), result.outcome])
}

/** More than the 90 s that a message may take. */
export const MAIL_LEASE_MS = 2 * MINUTE

export const LEAST_BETWEEN = "interval '5 minutes'"

/** The mail is neither due nor being sent. `$3` is now, `$4` the end of a lease that begins now. */
const MAY_BE_RENEWED = `((m.due_at is null or m.due_at > $4::timestamptz)
        and m.queued_at <= $3::timestamptz - ${LEAST_BETWEEN})`

const selectReceipt = statement(
  'mails.receipt',
  `select queued_at, outcome, ${MAY_BE_RENEWED} as may_be_renewed
     from mails m where user_id = $1 and kind = 'receipt' and about = $2`,
)

interface PaymentKey {
  readonly userId: string
  readonly paymentId: string
}

/** The mail with a receipt, and its outcome so far; null: there is none, or it was deleted. */
export async function findReceiptMail(database: Queryable, { userId, paymentId }: PaymentKey, now: Instant) {
  const [row] = await database.query(selectReceipt, [userId, paymentId, at(now), at(now + MAIL_LEASE_MS)])
  return row ? parseReceiptMail(row) : null
}

const parseReceiptMail = rowOf({ queuedAt: instant, outcome: textOrNull, mayBeRenewed: flag })

const queueReceipt = statement(
  'mails.queue_receipt',
  `with queued as (
     insert into mails as m (user_id, kind, about, queued_at, due_at)
     values ($1, 'receipt', $2, $3::timestamptz, $3::timestamptz)
         on conflict (user_id, kind, about) do update
        set queued_at = excluded.queued_at, due_at = excluded.due_at, attempts = 0, outcome = null
      where ${MAY_BE_RENEWED}
     returning user_id
   )
   ${insertAudit({ userId: 'q.user_id', at: '$3::timestamptz', entry: '$5::jsonb', from: 'queued q' })}
   returning user_id`,
)

/** Queues the mail with a payment's receipt again. False: it is due or being sent. */
export async function queueReceiptAgain(
  database: Queryable,
  { userId, paymentId }: PaymentKey,
  audit: AuditEntry,
  now: Instant,
): Promise<boolean> {
  const values = [userId, paymentId, at(now), at(now + MAIL_LEASE_MS), JSON.stringify(audit)]
  return (await database.query(queueReceipt, values)).length > 0
}

/** The index mails_failed needs this very text, and so the innermost `mails` without an alias. */
const IS_FAILED = `(outcome like 'refused:%' or (outcome like 'failed:%' and attempts >= 5))`

/** Older failures have been seen. */
const SHOWN_FOR = "interval '14 days'"

// The age of a failed mail starts anew. If it is no longer true it is dropped when it is written.
const correct = statement(
  'mails.correct_address',
  `with owner as (
     update users set email = $2, changed_at = $3::timestamptz where user_id = $1 returning user_id
   ), again as (
     update mails set queued_at = $3::timestamptz, due_at = $3::timestamptz, attempts = 0, outcome = null
      where user_id = $1 and ${IS_FAILED} and queued_at > $3::timestamptz - ${SHOWN_FOR}
   )
   ${insertAudit({ userId: 'o.user_id', at: '$3::timestamptz', entry: '$4::jsonb', from: 'owner o' })}
   returning id`,
)

export async function saveAddress(
  database: Queryable,
  { userId, email, audit }: { readonly userId: string; readonly email: string; readonly audit: AuditEntry },
  now: Instant,
): Promise<void> {
  await database.query(correct, [userId, email, at(now), JSON.stringify(audit)])
}

const countFailed = statement(
  'mails.count_failed',
  `select count(*)::int as failed from mails
    where user_id = $1 and ${IS_FAILED} and queued_at > $2::timestamptz - ${SHOWN_FOR}`,
)

export async function countFailedMails(database: Queryable, userId: string, now: Instant): Promise<number> {
  const [row] = await database.query(countFailed, [userId, at(now)])
  return row ? integer(row, 'failed') : 0
}

// Uses the index mails_by_age.
const forget = statement(
  'mails.forget',
  `with old as (
     select user_id, kind, about from mails where queued_at < $1::timestamptz
      order by queued_at limit $2::int for update skip locked
   )
   delete from mails m using old o
    where m.user_id = o.user_id and m.kind = o.kind and m.about = o.about
   returning m.kind`,
)

/** Deletes up to `limit` mails that were queued before an instant, and returns how many. */
export async function forgetMails(database: Queryable, before: Instant, limit: number): Promise<number> {
  return (await database.query(forget, [at(before), limit])).length
}

// The first failed mail stands for all of a user, with the outcome of the newest.
export const MAIL_FAILED = `
  select m.queued_at, m.user_id, m.user_id,
         case when n.kind in ('receipt', 'refunded', 'payment_requested', 'proof_received',
           'payment_refused') then n.about end,
         null::int, n.kind || ': ' || n.became
    from mails m
   cross join lateral (
     select kind, about, outcome as became from mails
      where user_id = m.user_id and ${IS_FAILED} and queued_at > $1::timestamptz - ${SHOWN_FOR}
      order by queued_at desc, kind, about limit 1) n
   where ${IS_FAILED} and m.queued_at > $1::timestamptz - ${SHOWN_FOR}
     and not exists (
       select from mails e
        where e.user_id = m.user_id and ${IS_FAILED} and e.queued_at > $1::timestamptz - ${SHOWN_FOR}
          and (e.queued_at, e.kind, e.about) < (m.queued_at, m.kind, m.about))`

export const MAILS_FAILED = `(
  select count(*) from mails
   where user_id = w.user_id and ${IS_FAILED} and queued_at > $1::timestamptz - ${SHOWN_FOR})`
