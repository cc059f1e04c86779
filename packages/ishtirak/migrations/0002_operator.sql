-- What the operator does and what the comparison with the provider finds, and which process runs a job next.

-- Who did what, when and why, with what was before and after. Rows are added, never changed.
create table audit (
  -- Empty where the act is about no single user.
  user_id text not null,
  id text not null,
  acted_at timestamptz not null,
  actor text not null check (actor <> ''),
  act text not null check (act <> ''),
  reason text,
  payment_id text,
  before jsonb not null,
  after jsonb not null,
  primary key (user_id, id)
);
create index audit_of_payment on audit (user_id, payment_id) where payment_id is not null;

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'integrity_constraint_violation';
end $$;
create trigger audit_is_append_only before update or delete on audit
  for each row execute function refuse_change();

-- The last reader of the rule that paid money stays paid: only a refund leads away from it, and from a refund nothing.
create function refuse_unpaying() returns trigger language plpgsql as $$
begin
  raise exception 'payment % is % and cannot become %', old.id, old.status, new.status
    using errcode = 'integrity_constraint_violation';
end $$;
create trigger payments_paid_is_final before update of status on payments
  for each row
  when (old.status in ('paid', 'refunded') and new.status <> old.status
        and not (old.status = 'paid' and new.status = 'refunded'))
  execute function refuse_unpaying();

-- The operator looks across users: the newest, those that wait for him, and those paid in a month.
create index payments_newest_of_all on payments (created_at desc, id desc);
create index payments_in_review on payments (created_at desc, id desc) where status = 'review';
create index payments_by_payment on payments (paid_at, id) where paid_at is not null;

-- When the provider's own list last showed the checkout as paid, with our amount.
alter table payments add column compared_at timestamptz;

-- One walk through the provider's list, from its start to now: it goes on where it stopped, in whatever process.
create table comparisons (
  id text not null primary key,
  since_at timestamptz not null,
  started_by text not null,
  started_at timestamptz not null,
  -- The walk comes first (next_page), then our payments that it did not show; both done: finished_at.
  next_page integer check (next_page > 0),
  calls integer not null default 0,
  checkouts integer not null default 0,
  findings integer not null default 0,
  -- Nobody works on it before this, so that the calls of all processes together stay bounded.
  next_round_at timestamptz not null,
  finished_at timestamptz
);
create index comparisons_newest on comparisons (started_at desc);
create index comparisons_unfinished on comparisons (started_at) where finished_at is null;

-- What only one side has, or has differently. Seen again, it is the same finding.
create table comparison_findings (
  -- Empty while we do not know whose checkout it is.
  user_id text not null,
  checkout_id text not null,
  kind text not null check (kind in ('paid_not_booked', 'booked_not_paid', 'differs', 'unknown_paid')),
  payment_id text,
  -- What was made of it: the outcome of settling it, or `reported`.
  outcome text not null,
  details jsonb not null,
  comparison_id text not null,
  found_at timestamptz not null,
  seen_at timestamptz not null,
  primary key (user_id, checkout_id, kind)
);
create index comparison_findings_newest on comparison_findings (seen_at desc);

-- One round of a job per interval, in however many processes.
create table job_leases (
  name text not null primary key,
  next_run_at timestamptz not null
);
