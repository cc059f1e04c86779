-- oldest-code: 12
-- What waits for an operator is found by what waits, not among what exists.

-- A second payment waits until it is refunded, or an operator says that it is kept. Code before neither writes nor reads it.
alter table payments add column kept_at timestamptz;
create index payments_second on payments (paid_at, id)
  where second_of is not null and status = 'paid' and kept_at is null;
create index transfers_to_decide on transfers (proof_at, payment_id)
  where state in ('open', 'ended') and (proof_at is not null or approvals <> '[]');
create index mails_failed on mails (queued_at)
  where outcome like 'refused:%' or (outcome like 'failed:%' and attempts >= 5);
