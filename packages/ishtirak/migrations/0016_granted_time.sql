-- oldest-code: 12
-- Paid time may have another source than a payment: days that the operator grants. The end of granted time is the anchor of
-- the months after it, so a run may have no months yet, and then ends where it begins.
alter table users
  drop constraint users_run_months_check,
  add constraint users_run_months_check check (run_months >= 0),
  drop constraint users_run_runs_forward,
  add constraint users_run_runs_forward check (paid_until >= anchor_at);

-- Of granted time `months` is 0 and `granted` has its days. Code before reads the end right, and the months after it; it
-- takes the source for a payment. A refund that it records may leave out days that were granted after the refunded period.
comment on column users.months is
  'the periods that are not over, and the last: [{paymentId, plan, start, end, months, granted}]; paymentId is the source';

-- What was granted, for ever: the periods above are forgotten when they are over.
create table grants (
  user_id text not null references users,
  id text not null,
  -- Named by the caller, so that a repetition is granted once.
  operation_id text,
  plan jsonb not null,
  months integer not null check (months >= 0),
  days integer not null check (days >= 0),
  period_start timestamptz not null,
  period_end timestamptz not null,
  granted_at timestamptz not null,
  -- The operator and the reason.
  granted_by text,
  why text,
  primary key (user_id, id),
  constraint grants_once unique (user_id, operation_id),
  constraint grants_give_months_or_days check ((months = 0) <> (days = 0)),
  constraint grants_period_runs_forward check (period_end > period_start)
);

-- Code before takes a mail of the new kind for an outdated reminder, and does not send it.
alter table mails drop constraint mails_kind_check;
alter table mails add constraint mails_kind_check check (
  kind in ('receipt', 'refunded', 'granted', 'portal_link', 'expiring_7_days', 'expiring_3_days', 'expiring_1_day',
           'past_due', 'expired')
);
