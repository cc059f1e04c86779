-- The facts of billing. Every table begins its key with the user, so that the whole can be sharded by user; the two
-- exceptions (receipt_series, and users itself) say why. Instants are timestamptz, money is whole dinars.

create table users (
  user_id text not null primary key check (user_id <> ''),
  -- Counts every change of this user's money. Each change names the version it was decided on: a lost race changes no row.
  version bigint not null default 0 check (version >= 0),
  -- The sequence of the last event to the platform about this user.
  event_sequence bigint not null default 0 check (event_sequence >= 0),
  -- The run of paid months: where it began, how many were bought, where it ends. Null: never paid.
  anchor_at timestamptz,
  run_months integer check (run_months > 0),
  paid_until timestamptz,
  -- The months of the run that are not over, and the last: [{paymentId, plan, start, end}].
  months jsonb not null default '[]',
  ended_at timestamptz,
  payment_method text,
  email text,
  name text,
  locale text check (locale in ('ar', 'fr', 'en')),
  created_at timestamptz not null,
  constraint users_run_is_whole check (
    (anchor_at is null) = (paid_until is null) and (anchor_at is null) = (run_months is null)
  ),
  constraint users_run_runs_forward check (paid_until > anchor_at)
);

create table payments (
  user_id text not null references users,
  id text not null,
  plan jsonb not null,
  amount integer not null check (amount > 0),
  currency text not null check (currency = 'DZD'),
  live boolean not null,
  status text not null check (
    status in ('requested', 'pending', 'paid', 'failed', 'canceled', 'expired', 'review', 'refunded')
  ),
  checkout_id text,
  checkout_url text,
  payment_method text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  attempt_ends_at timestamptz not null,
  -- When the provider was last asked on behalf of a reader: not more than once in ten seconds.
  asked_at timestamptz,
  next_check_at timestamptz,
  paid_at timestamptz,
  period_start timestamptz,
  period_end timestamptz,
  second_of text,
  review jsonb,
  primary key (user_id, id),
  constraint payments_pending_has_checkout check (
    status <> 'pending' or (checkout_id is not null and checkout_url is not null)
  ),
  constraint payments_paid_bought_a_period check (
    (status in ('paid', 'refunded')) = (paid_at is not null and period_start is not null and period_end is not null)
  ),
  constraint payments_period_runs_forward check (period_end > period_start),
  constraint payments_review_has_reason check (status <> 'review' or review is not null)
);

-- One payable checkout per user: two clicks cannot open two pages that both take money.
create unique index payments_one_open_per_user on payments (user_id) where status in ('requested', 'pending');
-- One booking per checkout. Reports are found by it, whoever's it is.
create unique index payments_checkout on payments (checkout_id, user_id) where checkout_id is not null;
-- The return page knows a payment by nothing but its id, which cannot be guessed.
create unique index payments_by_id on payments (id, user_id);
-- The history, newest first, and the newest payment of a user.
create index payments_newest on payments (user_id, created_at desc, id desc);
-- What the sweep has to look up: follows what is due, not what exists.
create index payments_due on payments (next_check_at) where next_check_at is not null;

-- The provider's events, for ever: their signature carries no time, so the id is the only defence against replay.
create table provider_events (
  -- Empty while we do not know whose checkout it is.
  user_id text not null,
  id text not null,
  type text not null,
  checkout_id text,
  payment_id text,
  outcome text not null,
  -- What was read of it. Not the body: that carries the merchant's account.
  report jsonb,
  received_at timestamptz not null,
  constraint provider_events_once primary key (user_id, id)
);
create index provider_events_of_payment on provider_events (user_id, payment_id) where payment_id is not null;

-- Events to the platform, written with the change that they tell of.
create table outbox (
  user_id text not null references users,
  sequence bigint not null check (sequence > 0),
  id text not null,
  type text not null,
  payload jsonb not null,
  created_at timestamptz not null,
  primary key (user_id, sequence)
);

-- The last number drawn in each series. A legal sequence has no gaps, so it cannot be sharded: a shard takes a series.
create table receipt_series (
  series text not null primary key,
  last_number integer not null check (last_number > 0)
);

create table receipts (
  user_id text not null,
  payment_id text not null,
  series text not null,
  number integer not null check (number > 0),
  issued_at timestamptz not null,
  -- Everything the document shows, as it was: later changes of name, tax or seller do not touch it.
  snapshot jsonb not null,
  primary key (user_id, payment_id),
  foreign key (user_id, payment_id) references payments,
  constraint receipts_number_once unique (series, number)
);
