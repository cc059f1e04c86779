-- How events reach the platform, and when time itself is worth one. Both schedules stand in the user's own row, beside the
-- counter of what was written: whoever writes an event can forget neither.

alter table users
  -- Up to which event the platform has confirmed. Behind event_sequence: there is something to deliver.
  add column delivered_sequence bigint not null default 0 check (delivered_sequence >= 0),
  -- When the next attempt is due; in the future also while somebody is at one (the lease).
  add column deliver_at timestamptz not null default '1970-01-01T00:00:00Z',
  -- When time next brings about something to tell: an end that comes near, the end, the end of grace.
  add column announce_at timestamptz,
  -- The last of these that was told, of the present end.
  add column announced text check (
    announced in ('expiring_7_days', 'expiring_3_days', 'expiring_1_day', 'past_due', 'expired')
  ),
  add constraint users_delivered_is_written check (delivered_sequence <= event_sequence);

-- Follow what is due, not what exists.
create index users_deliver on users (deliver_at) where delivered_sequence < event_sequence;
create index users_announce on users (announce_at) where announce_at is not null;

-- Paid before there were announcements: what still lies ahead will be told.
update users set announce_at = paid_until - interval '7 days'
 where paid_until > now() and ended_at is null;

alter table outbox
  -- Since it was last put in line.
  add column attempts integer not null default 0 check (attempts >= 0),
  add column attempted_at timestamptz,
  -- Of the last attempt: the status of the answer, and in words what went wrong.
  add column answer_status integer,
  add column failure text,
  add column delivered_at timestamptz;

-- The operator knows an event by its id; the tidying goes by age.
create unique index outbox_by_id on outbox (id, user_id);
create index outbox_by_age on outbox (created_at);

-- The platform's address has one state for all users, so this table has one row and no user.
create table event_endpoint (
  one boolean not null primary key default true check (one),
  url text not null,
  -- What was written before is history, not news: set when the service first had an address.
  deliver_from timestamptz not null,
  -- Since when no attempt has succeeded.
  failing_since timestamptz,
  disabled_at timestamptz,
  disabled_because text,
  constraint event_endpoint_disabled_for_a_reason check ((disabled_at is null) = (disabled_because is null))
);
