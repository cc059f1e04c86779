-- oldest-code: 12
-- Money that users send without a page of a provider: what is known of each transfer beside its payment. Code before knows
-- neither the table nor the payments, and looks at none of them.
create table transfers (
  user_id text not null,
  payment_id text not null,
  -- What the payer writes on the slip; of its payment it is the checkout's id.
  reference text not null check (reference <> ''),
  state text not null default 'open' check (state in ('open', 'ended', 'approved', 'refused')),
  -- Counts every change: an operator's decision names the version it was made on.
  version bigint not null default 0 check (version >= 0),
  -- Who has seen the money: [{by, at, amount, receivedAt, instrument}], instants in milliseconds.
  approvals jsonb not null default '[]',
  refusal text,
  -- Of the first proof. A run of paid time goes on if it was running then.
  proof_at timestamptz,
  primary key (user_id, payment_id),
  foreign key (user_id, payment_id) references payments,
  constraint transfers_approved_by_someone check (state <> 'approved' or approvals <> '[]'),
  constraint transfers_refused_for_a_reason check (state <> 'refused' or refusal is not null)
);
-- An operator has a slip with a reference and no name.
create unique index transfers_by_reference on transfers (reference, user_id);

-- A payment without a page can be pending too.
alter table payments drop constraint payments_pending_has_checkout;
alter table payments add constraint payments_pending_has_checkout check (status <> 'pending' or checkout_id is not null);

-- An operator lists what waits for them: a few among all payments.
create index payments_without_page on payments (created_at desc, id desc)
  where checkout_url is null and checkout_id is not null;

-- The user gets the reference and the accounts by mail, and the reason of a refusal.
alter table mails drop constraint mails_kind_check;
alter table mails add constraint mails_kind_check check (
  kind in ('receipt', 'refunded', 'granted', 'payment_requested', 'payment_refused', 'portal_link',
           'expiring_7_days', 'expiring_3_days', 'expiring_1_day', 'past_due', 'expired')
);
