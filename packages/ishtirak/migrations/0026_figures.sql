-- oldest-code: 12
-- What a month brought in is added up as it comes, receipt by receipt: the numbers of a series have no gaps and are committed in
-- order, so what is counted is known by one number. Derived, not facts: both tables can be emptied, and are filled again.
create table daily_figures (
  -- Of the payment, in the billing time zone of its receipt: `YYYY-MM-DD`.
  day text not null,
  live boolean not null,
  method text not null,
  -- Empty where it is not known.
  payment_method text not null,
  payments integer not null,
  -- Those that were their user's first.
  first_payments integer not null,
  -- Tax included, without duty.
  amount_centimes bigint not null,
  net_centimes bigint not null,
  duty_centimes bigint not null,
  discount_centimes bigint not null,
  fees_centimes bigint not null,
  -- Payments whose fees the provider did not say.
  fees_unknown integer not null,
  primary key (day, live, method, payment_method)
);

create table counted_receipts (
  series text not null primary key,
  last_number integer not null check (last_number >= 0)
);

-- Refunds are few: they are read from the trail.
create index audit_refunds on audit (acted_at, id) where act = 'payment.refund';
-- Whose time ends when, or was ended.
create index users_by_end on users (paid_until) where ended_at is null;
create index users_ended on users (ended_at) where ended_at is not null;
