-- What people see: the sessions of the customer portal, and the mail that is owed to them.

-- One row from the link to the session it becomes. Of both secrets only the SHA-256 is kept: whoever reads this table can
-- open nothing with it.
create table portal_sessions (
  user_id text not null check (user_id <> ''),
  id text not null,
  -- Exactly one of the two: a link that has been followed is no link any more.
  link_digest text,
  session_digest text,
  -- Of the link first, of the session once there is one.
  expires_at timestamptz not null,
  -- Where on the platform "back" leads.
  return_path text,
  primary key (user_id, id),
  constraint portal_sessions_link_or_session check ((link_digest is null) <> (session_digest is null))
);
create unique index portal_sessions_by_link on portal_sessions (link_digest, user_id) where link_digest is not null;
create unique index portal_sessions_by_session on portal_sessions (session_digest, user_id)
  where session_digest is not null;
-- The tidying goes by age.
create index portal_sessions_by_end on portal_sessions (expires_at);

-- One row for each mail that is owed, for ever the same one: the key is what makes it once, however many processes send.
create table mails (
  user_id text not null,
  kind text not null check (
    kind in ('receipt', 'expiring_7_days', 'expiring_3_days', 'expiring_1_day', 'past_due', 'expired')
  ),
  -- The payment of a receipt; of a reminder, the end that it reminds of.
  about text not null,
  queued_at timestamptz not null,
  -- When it is to be tried next; also the lease of whoever is at it. Null: nothing is left to do.
  due_at timestamptz,
  attempts integer not null default 0 check (attempts >= 0),
  -- What became of it in the end, or what went wrong last.
  outcome text,
  primary key (user_id, kind, about)
);
create index mails_due on mails (due_at) where due_at is not null;
create index mails_by_age on mails (queued_at);

-- A person is told of what the platform is told of, so the mail is owed by the very row that tells the platform: whoever
-- writes such an event, now or in a later version, can forget neither.
create function owe_mail() returns trigger language plpgsql as $$
begin
  insert into mails (user_id, kind, about, queued_at, due_at)
  values (new.user_id,
          coalesce(new.payload->'data'->'announcement'->>'boundary', 'receipt'),
          coalesce(new.payload->'data'->'payment'->>'id',
                   new.payload->'data'->'subscription'->>'current_period_end'),
          new.created_at, new.created_at)
      on conflict do nothing;
  return null;
end $$;
create trigger outbox_owes_mail after insert on outbox
  for each row
  when (new.type in ('payment.paid', 'subscription.expiring', 'subscription.past_due', 'subscription.expired'))
  execute function owe_mail();
