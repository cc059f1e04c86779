// Mail that failed, as rows of the inbox.

/** Mail that failed longer ago has been seen. */
const SHOWN = '14 days'

export const isFailed = (mail: string, now = '$1') => `
  (${mail}.outcome like 'refused:%' or (${mail}.outcome like 'failed:%' and ${mail}.attempts >= 5))
   and ${mail}.queued_at > ${now}::timestamptz - interval '${SHOWN}'`

// An address that bounces does so for each mail to it: the first stands for all of a user, with what became
// of the newest.
export const MAIL_FAILED = `
  select m.queued_at, m.user_id, m.user_id,
         case when n.kind in ('receipt', 'refunded', 'payment_requested', 'proof_received',
           'payment_refused') then n.about end,
         null::int, n.kind || ': ' || n.outcome
    from mails m
   cross join lateral (
     select kind, about, outcome from mails n where n.user_id = m.user_id and ${isFailed('n')}
      order by n.queued_at desc, n.kind, n.about limit 1) n
   where ${isFailed('m')}
     and not exists (
       select from mails e
        where e.user_id = m.user_id and ${isFailed('e')}
          and (e.queued_at, e.kind, e.about) < (m.queued_at, m.kind, m.about))`

export const MAILS_FAILED = `(
  select count(*) from mails m where m.user_id = w.user_id and ${isFailed('m')})`
