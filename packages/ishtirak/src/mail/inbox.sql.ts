// The query of failed mail, for the inbox.

/** The index mails_failed needs this very text, and so the innermost `mails` without an alias. */
export const IS_FAILED = `(outcome like 'refused:%' or (outcome like 'failed:%' and attempts >= 5))`

/** Older failures have been seen. */
export const SHOWN_FOR = "interval '14 days'"

// An address that bounces does so for each mail. The first one stands for all of a user, with the outcome of
// the newest.
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
