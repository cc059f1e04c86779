-- oldest-code: 12
-- Codes that are printed and given out. Neither table is a user's: a code is found by its hash, whoever types it. No other
-- table refers to them by a foreign key, so that the others can still be spread by user.

-- Codes that were made together and are worth the same.
create table code_batches (
  id text not null primary key,
  kind text not null check (kind in ('months', 'percent', 'amount')),
  -- What a code of months gives, as it was when the batch was made: a later catalogue does not change it.
  plan jsonb,
  plan_id text,
  months integer check (months between 1 and 36),
  percent integer check (percent between 1 and 100),
  amount integer check (amount > 0),
  count integer not null check (count > 0),
  uses integer not null check (uses > 0),
  uses_per_user integer not null check (uses_per_user > 0),
  valid_from timestamptz,
  valid_until timestamptz,
  created_at timestamptz not null,
  created_by text not null,
  why text not null,
  revoked_at timestamptz,
  revoked_by text,
  constraint code_batches_worth check (
    (kind = 'months') = (plan is not null) and (kind = 'percent') = (percent is not null)
    and (kind = 'amount') = (amount is not null) and (kind <> 'months' or (plan_id is not null and months is not null))
  ),
  constraint code_batches_run_forward check (valid_until > valid_from)
);
create index code_batches_newest on code_batches (created_at desc, id desc);

create table codes (
  -- HMAC-SHA256 of the code under CODE_KEYS. The code itself is nowhere.
  hash text not null primary key,
  batch_id text not null references code_batches,
  -- May exceed the bound: a payment that came late counts.
  used integer not null default 0 check (used >= 0)
);
create index codes_of_batch on codes (batch_id);
