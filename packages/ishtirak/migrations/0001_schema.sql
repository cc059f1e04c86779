-- All tables, in the order of the capabilities. A table of users' facts has the user in its key. Instants are
-- timestamptz. Money is whole dinars, or centimes where the column says so. Constraints are named after their
-- rule. An index is next to the capability that reads by it; test/costs/indexes.ts names a query for each.


-- The ledger: users, what they pay, and who changed it

create table users (
  user_id text not null constraint user_id_is_given check (user_id <> ''),
  -- Counts every revision of this user's money. A revision names the version that it was decided on: a lost
  -- race changes no row.
  version bigint not null default 0 constraint version_counts_up check (version >= 0),
  -- The run of periods: where it began, how many months were bought, where it ends. Null: never paid. Granted
  -- time has no months: until a month is bought, a run that begins with it ends where it begins.
  anchor_at timestamptz,
  run_months integer constraint run_months_count_up check (run_months >= 0),
  paid_until timestamptz,
  -- The periods that are not over, and the last one: [{sourceId, plan, months, start, end, granted, amount,
  -- changes}]. The source is a payment or a grant. Granted days have `months` 0 and are in `granted`.
  -- `amount` is what was paid; absent, it is the price of single months. `changes` are plan changes.
  periods jsonb not null default '[]',
  ended_at timestamptz,
  -- The instrument of the last payment: `edahabia`, `cib`, `ccp`, …
  last_instrument text,
  -- The money paid in and not spent, in whole dinars, and the number of the last entry.
  balance integer not null default 0 constraint balance_is_not_negative check (balance >= 0),
  balance_entry integer,
  -- When the balance or the standing order last changed. Null: the user never had either.
  balance_since timestamptz,
  -- The term that the balance buys whenever the paid time ends: {plan, months, price, offered}.
  standing_order jsonb,
  -- When the standing order buys next. Null: there is no order, the money does not suffice, or an operator
  -- ended the access.
  renews_at timestamptz,
  -- The profile comes from the platform or the user's token.
  email text,
  name text,
  -- The desk asks new customers for it. The form is E.164.
  phone text constraint phone_is_international check (phone ~ '^\+[1-9][0-9]{6,14}$'),
  locale text constraint locale_is_known check (locale in ('ar', 'fr', 'en')),
  -- The buyer's details for invoices: {kind, name, address, rc, nif, nis, ai, legal_form, capital, phone,
  -- email}. Null: none were given.
  buyer jsonb constraint buyer_has_a_kind check (buyer ->> 'kind' in ('person', 'company')),
  -- Events to the platform: the last one written, the last one confirmed, and when the next attempt is due
  -- (at once for a new user). While a process delivers, the due time is the end of its lease.
  event_sequence bigint not null default 0 constraint event_sequence_counts_up check (event_sequence >= 0),
  delivered_sequence bigint not null default 0
    constraint delivered_sequence_counts_up check (delivered_sequence >= 0),
  deliver_at timestamptz not null default '1970-01-01T00:00:00Z',
  -- When the job next announces something (the coming end, the end, the end of grace), and what it announced
  -- last for the present end.
  announce_at timestamptz,
  announced text constraint announced_is_known check (
    announced in ('expiring_7_days', 'expiring_3_days', 'expiring_1_day', 'past_due', 'expired')
  ),
  created_at timestamptz not null,
  -- When paid time, balance, profile or buyer was last written. Null: not since the row was made.
  changed_at timestamptz,
  constraint users_by_id primary key (user_id),
  constraint run_is_whole_or_absent check (
    (anchor_at is null) = (paid_until is null) and (anchor_at is null) = (run_months is null)
  ),
  constraint run_runs_forward check (paid_until >= anchor_at),
  constraint balance_has_an_entry check (balance_entry is not null or balance = 0),
  constraint balance_has_an_instant check (
    balance_since is not null or (balance_entry is null and standing_order is null)
  ),
  constraint only_orders_renew check (renews_at is null or standing_order is not null),
  constraint delivered_was_written check (delivered_sequence <= event_sequence)
);
comment on table users is
  'Each user with the facts of prepaid time, the profile, and the schedules of events and announcements.';

create table payments (
  user_id text not null constraint payment_of_a_user references users,
  id text not null,
  -- The person who ordered for the account, by the platform's id; null: none was named.
  bought_by text,
  -- The number of the buyer's own purchase order.
  po_number text,
  -- The address to which the page after paying leads; null: the platform's own pages.
  return_url text,
  -- What the platform notes: at most 20 texts by name; null: nothing. It may name a person, so it must be
  -- erasable: only this column and the payment's events in the outbox have it.
  metadata jsonb,
  -- `purchase`: time. `change`: another plan for time that runs. `top_up`: money for the user's balance.
  kind text not null default 'purchase'
    constraint kind_is_known check (kind in ('purchase', 'change', 'top_up')),
  -- The plan as it was when it was ordered: a later catalogue does not change it. A top-up has no plan.
  plan jsonb,
  -- Only purchases have months.
  months integer default 1 constraint months_are_bought check (months > 0),
  -- For a plan change: the plan before it, the credit, and the periods that change, each with its part.
  change jsonb,
  -- The price; after booking the amount that was paid. amount_asked is the price if another amount was
  -- accepted.
  amount integer not null constraint amount_is_positive check (amount > 0),
  amount_asked integer constraint amount_asked_is_positive check (amount_asked > 0),
  currency text not null constraint currency_is_the_dinar check (currency = 'DZD'),
  -- The code that gave the discount. The payment holds a use of it from its request until it ends unpaid.
  code_hash text,
  discount integer not null default 0 constraint discount_takes_off check (discount >= 0),
  live boolean not null,
  status text not null constraint status_is_known check (
    status in ('requested', 'pending', 'paid', 'failed', 'canceled', 'expired', 'review', 'refunded')
  ),
  -- The payment method and its own id of the payment: the id of a checkout, the reference of a transfer, the
  -- number of a slip or cheque. Only rows that tests and benchmarks insert use the default.
  method text not null default 'chargily' constraint method_is_given check (method <> ''),
  method_reference text,
  -- The page to pay on. A transfer has none.
  checkout_url text,
  -- The instrument: `edahabia`, `cib`, `ccp`, … On the wire it is called payment_method.
  instrument text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Until then one process calls the method for a page. Afterwards another may.
  attempt_ends_at timestamptz not null,
  -- When a reader's lookup last asked the method, and when the sweep asks next.
  asked_at timestamptz,
  next_check_at timestamptz,
  -- When it was paid, and the time that it bought.
  paid_at timestamptz,
  period_start timestamptz,
  period_end timestamptz,
  -- The document that a paid payment must have (paid_has_a_receipt): its own, at place 0.
  receipt_of text generated always as (case when status in ('paid', 'refunded') then id end) stored,
  -- Queries join documents by this column: with the constant 0 a plan made for an empty table would scan all
  -- documents at place 0.
  receipt_place integer generated always as (0) stored,
  -- The balance entry that a paid top-up or payment by balance must have (paid_by_balance_has_an_entry).
  entry_of text generated always as (
    case when status in ('paid', 'refunded') and (kind = 'top_up' or method = 'balance') then id end
  ) stored,
  -- The payment of the same order that was paid before this one. An operator refunds this one, or keeps it.
  second_of text,
  kept_at timestamptz,
  -- How the report differs from what was ordered. An operator decides.
  review jsonb,
  -- The method's reports that changed the payment, oldest first: a handful at most.
  reports jsonb not null default '[]',
  -- When the method's own list last showed it as paid with our amount.
  reconciled_at timestamptz,
  -- The W3C `traceparent` that the purchase continues. Null: no traces are collected.
  traceparent text,
  -- The id comes first, because the return page knows only the id. It cannot be guessed.
  constraint payments_by_id primary key (id, user_id),
  constraint pending_has_a_reference check (status <> 'pending' or method_reference is not null),
  constraint fields_fit_the_kind check (
    (kind = 'top_up') = (plan is null) and (kind = 'purchase') = (months is not null)
    and (kind <> 'top_up' or code_hash is null and discount = 0)
    and (kind = 'change' or change is null)
  ),
  constraint paid_at_an_instant check ((status in ('paid', 'refunded')) = (paid_at is not null)),
  -- A plan change may be paid when the time that it was for is over.
  constraint paid_bought_a_period check (
    (period_start is null) = (period_end is null)
    and case kind when 'purchase' then (paid_at is null) = (period_start is null)
                  when 'change' then paid_at is not null or period_start is null
                  else period_start is null end
  ),
  constraint period_runs_forward check (period_end > period_start),
  constraint review_has_a_reason check (status <> 'review' or review is not null),
  constraint amount_asked_differs_from_booked check (
    amount_asked is null or (status in ('paid', 'refunded') and amount_asked <> amount)
  )
);
comment on table payments is 'Each payment from its request on, whatever became of it.';

-- A method's id (a checkout, a slip, a cheque) belongs to one payment of all users, so a report is booked
-- once.
create unique index payments_by_reference on payments (method_reference, method)
  where method_reference is not null;
create index payments_of_user on payments (user_id, created_at desc, id desc);

-- Paid money stays paid: only a refund changes it, and a refund is final. A constraint cannot see the row
-- before.
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

-- The amount does not change after the booking.
create function refuse_other_amount() returns trigger language plpgsql as $$
begin
  raise exception 'payment % is booked and its amount cannot change', old.id
    using errcode = 'integrity_constraint_violation';
end $$;
create trigger payments_booked_amount_is_final before update of amount, amount_asked on payments
  for each row
  when (old.status in ('paid', 'refunded')
        and (new.amount, new.amount_asked) is distinct from (old.amount, old.amount_asked))
  execute function refuse_other_amount();

-- Rows are never deleted: a provider's signature contains no time, so the event's id is the only protection
-- against replay.
create table provider_events (
  user_id text not null,
  method text not null default 'chargily' constraint method_is_given check (method <> ''),
  id text not null,
  type text not null,
  checkout_id text,
  payment_id text,
  outcome text not null,
  -- The event's amount in whole dinars; null: none.
  amount bigint,
  -- The part that was read, unless the payment stores it. The body is left out: it contains the merchant's
  -- account.
  report jsonb,
  received_at timestamptz not null,
  constraint provider_events_once primary key (user_id, method, id)
);
comment on table provider_events is
  'Each event of a provider about a payment of ours, with what became of it.';

-- Such an event may be the only trace of a payment.
create table unmatched_events (
  method text not null constraint method_is_given check (method <> ''),
  id text not null,
  type text not null,
  checkout_id text,
  outcome text not null,
  report jsonb,
  received_at timestamptz not null,
  constraint unmatched_events_once primary key (method, id)
);
comment on table unmatched_events is 'Each event of a provider that is about no payment of ours.';

create table audit (
  -- Empty if the act is not about a single user.
  user_id text not null,
  id text not null,
  acted_at timestamptz not null,
  actor text not null constraint actor_is_given check (actor <> ''),
  act text not null constraint act_is_given check (act <> ''),
  reason text,
  payment_id text,
  before jsonb not null,
  after jsonb not null,
  -- The input besides the reason. A repetition has the same input.
  asked jsonb,
  -- The caller's name for the operation: a repetition finds the first one and changes nothing.
  operation_id text,
  constraint audit_by_id primary key (user_id, id)
);
comment on table audit is
  'Who did what, when and why, with what was before and after. Rows are never changed.';

create unique index audit_operations on audit (user_id, operation_id) where operation_id is not null;
create index audit_of_payment on audit (user_id, payment_id) where payment_id is not null;
-- The trail of all users: the newest, those of an operator, those of an act.
create index audit_newest on audit (acted_at, id);
create index audit_by_actor on audit (actor, acted_at, id);
create index audit_by_act on audit (act, acted_at, id);
-- The words of the reason, of the actor and of the ids. translate() replaces the first eleven signs by
-- spaces, so words inside an address, a path or angle brackets are words too. It deletes the last two,
-- underscore and hyphen: an id is one word, because its prefix alone would match all acts.
create index audit_by_words on audit using gin (to_tsvector('simple', translate(
  coalesce(reason, '') || ' ' || user_id || ' ' || coalesce(payment_id, '') || ' ' || id || ' ' || actor,
  '/.:@<>=&?#+_-', '           '))) with (fastupdate = off);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'integrity_constraint_violation';
end $$;
create trigger audit_is_append_only before update or delete on audit
  for each row execute function refuse_change();

create table job_leases (
  name text not null,
  next_run_at timestamptz not null,
  constraint job_leases_by_name primary key (name)
);
comment on table job_leases is 'When each job runs next: one round per interval, in however many processes.';


-- The balance: money that users have paid in and not spent

create table balance_entries (
  user_id text not null constraint entry_of_a_user references users,
  sequence integer not null constraint sequence_is_positive check (sequence > 0),
  id text not null,
  kind text not null constraint kind_is_known check (
    kind in ('top_up', 'purchase', 'renewal', 'returned', 'surplus', 'correction', 'paid_out')
  ),
  -- Whole dinars, negative if the entry takes money.
  amount integer not null,
  balance_before integer not null,
  balance_after integer not null constraint balance_is_not_negative check (balance_after >= 0),
  payment_id text,
  note text,
  created_at timestamptz not null,
  -- The entry that it follows; null: it is the first.
  follows integer generated always as (nullif(sequence - 1, 0)) stored,
  -- The payment that must have this entry.
  books text generated always as (
    case when kind in ('top_up', 'purchase', 'renewal') then payment_id end
  ) stored,
  constraint balance_entries_in_sequence primary key (user_id, sequence),
  -- Foreign keys below refer to this key and to balance_entries_book_once.
  constraint balance_entries_chain unique (user_id, sequence, balance_after),
  constraint balance_entries_once unique (user_id, payment_id, kind),
  constraint balance_entries_book_once unique (user_id, books),
  constraint balance_adds_up check (balance_after = balance_before + amount),
  constraint balance_begins_with_nothing check (sequence > 1 or balance_before = 0),
  constraint entry_gives_or_takes check (
    case when kind in ('top_up', 'returned', 'surplus') then amount > 0
         when kind in ('purchase', 'renewal', 'paid_out') then amount < 0
         else amount <> 0 end
  ),
  constraint entry_names_its_payment check (
    case kind when 'correction' then payment_id is null when 'paid_out' then true
              else payment_id is not null end
  ),
  constraint entry_of_a_payment foreign key (user_id, payment_id) references payments (user_id, id)
    deferrable initially deferred,
  constraint balance_follows_on_an_entry foreign key (user_id, follows, balance_before)
    references balance_entries (user_id, sequence, balance_after) deferrable initially deferred
);
comment on table balance_entries is
  'Each change of a user''s balance, in a chain without gaps. Rows are never changed.';

create trigger balance_entries_are_append_only before update or delete on balance_entries
  for each row execute function refuse_change();

-- The user's balance is the one of the last entry, and money that a payment adds or takes has an entry.
-- Checked at the commit, because the tables refer to each other.
alter table users add constraint balance_is_the_last_entrys foreign key (user_id, balance_entry, balance)
  references balance_entries (user_id, sequence, balance_after) deferrable initially deferred;
alter table payments add constraint paid_by_balance_has_an_entry foreign key (user_id, entry_of)
  references balance_entries (user_id, books) deferrable initially deferred;

-- Users with a renewal to book.
create index users_renew on users (renews_at) where renews_at is not null;
create index users_with_order on users (user_id) where standing_order is not null;


-- Checkout: from the click to the provider's page, and the sweep that looks payments up

-- One open checkout per user and method: two clicks cannot open two pages that both take money.
create unique index payments_one_open_per_user on payments (user_id, method)
  where status in ('requested', 'pending');
-- Payments that the sweep looks up.
create index payments_due on payments (next_check_at) where next_check_at is not null;
-- Canceled payments whose page is still open at the provider. Each click on "upgrade" reads them.
create index payments_withdrawn on payments (user_id)
  where status = 'canceled' and next_check_at is not null;


-- Limits: what the platform counts. Users who never paid have usage too, so nothing here refers to users.

create table usage (
  user_id text not null constraint user_id_is_given check (user_id <> ''),
  limit_name text not null,
  -- The id of the counted thing, if the limit counts something separately: a project, a region. Otherwise
  -- empty.
  scope text not null,
  -- `day`, `month`, `gauge`, or `gauge/` and what it counts separately. If the limit counts otherwise now,
  -- the count reads as zero.
  counts_as text not null,
  used bigint not null constraint used_counts_up check (used >= 0),
  -- The end of the counted day or month, after which the count reads as zero. Null for gauges.
  resets_at timestamptz,
  -- Counts every change. A change names the revision before it, so that only one of two first uses succeeds.
  revision bigint not null constraint revision_counts_up check (revision > 0),
  constraint usage_once primary key (user_id, limit_name, scope),
  constraint scope_where_counted_for_each check ((scope <> '') = (counts_as like 'gauge/%')),
  constraint window_where_counted_by_time check ((resets_at is not null) = (counts_as in ('day', 'month')))
);
comment on table usage is
  'What each user has used of each limit: a row from the first use on, changed in place.';

create table usage_operations (
  user_id text not null,
  operation_id text not null,
  kind text not null constraint kind_is_known check (kind in ('consume', 'release')),
  -- A release names the operation whose amount it gives back, or its own id.
  gives_back text constraint releases_give_back check ((kind = 'release') = (gives_back is not null)),
  limit_name text not null,
  scope text not null,
  amount bigint not null constraint amount_is_positive check (amount > 0),
  -- How much of the consumed amount was released since.
  given_back bigint not null default 0,
  -- The answer to the operation.
  maximum bigint not null,
  used bigint not null,
  resets_at timestamptz,
  created_at timestamptz not null,
  constraint usage_operations_once primary key (user_id, operation_id, kind),
  constraint given_back_once check (given_back between 0 and amount)
);
comment on table usage_operations is
  'What was consumed and released in the last 48 hours, with its answer: a repetition counts once.';

create index usage_operations_by_age on usage_operations (created_at);

create table usage_refusals (
  user_id text not null,
  limit_name text not null,
  scope text not null,
  -- The start of the hour, in UTC.
  hour timestamptz not null,
  refused bigint not null,
  asked bigint not null,
  -- These are the figures of the last refusal.
  maximum bigint not null,
  used bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  constraint usage_refusals_once primary key (user_id, limit_name, scope, hour)
);
comment on table usage_refusals is
  'When a limit was full: each hour of the last 30 days in which it refused something.';

create index usage_refusals_by_age on usage_refusals (hour);


-- Receipts

-- A legal sequence has no gaps: the booking draws the number and locks the row until its commit.
create table document_series (
  series text not null,
  last_number integer not null constraint last_number_is_positive check (last_number > 0),
  -- The date of the last document. Null for proformas.
  last_issued_on date,
  -- Documents up to this number have lost their buyer: they need not be kept any longer.
  buyers_removed_to integer not null default 0,
  constraint document_series_once primary key (series)
);
comment on table document_series is 'The last number drawn in each series of documents, and the last date.';

-- The seller as documents show them, written before their first document; rows are never deleted. There is
-- no foreign key, because each booking would lock the one row.
create table seller_versions (
  -- SHA-256 of the content, in hexadecimal.
  hash text not null constraint seller_versions_by_content primary key,
  seller jsonb not null
);
comment on table seller_versions is 'The seller as they stood on documents, by content.';

create table documents (
  user_id text not null,
  payment_id text not null,
  -- 0: the document of the booking, a receipt or an invoice. After it credit notes and invoices alternate.
  place integer not null constraint place_counts_up check (place >= 0),
  kind text not null constraint document_kind_is_known check (kind in ('receipt', 'invoice', 'credit_note')),
  series text not null,
  number integer not null constraint number_is_positive check (number > 0),
  issued_at timestamptz not null,
  -- The date of the document: the day in the billing time zone, or the date of the number before it.
  issued_on date not null,
  -- A hash of seller_versions.
  seller text not null,
  -- The price without tax, and its tax.
  net_centimes bigint not null,
  tax_centimes bigint not null,
  duty_centimes bigint not null,
  -- The discount of a code, tax included.
  discount_centimes bigint not null,
  -- The provider's fee, only with the first document. Null: the provider did not say.
  fee_centimes bigint,
  -- All else that the document shows. Later changes of name or tax do not change it.
  snapshot jsonb not null,
  -- Removed with the buyer: without it the buyer cannot be guessed from the hash that is left.
  salt uuid default gen_random_uuid(),
  constraint documents_in_order primary key (user_id, payment_id, place),
  constraint documents_number_once unique (series, number),
  constraint document_of_a_payment foreign key (user_id, payment_id) references payments (user_id, id)
);
comment on table documents is
  'Receipts, invoices and credit notes. What is wrong is corrected by another one.';

-- A document as it is sealed, and as it stays when it need not be kept any longer: a salted hash of the whole
-- snapshot is in place of the buyer and of the buyer's order number. concat() ignores a null: a document
-- that was inserted without a salt is sealed too.
create function without_buyer(snapshot jsonb, salt uuid) returns jsonb language sql stable return
  case when snapshot ? 'removed' or jsonb_typeof(snapshot) <> 'object' then snapshot
       else snapshot - 'poNumber' || jsonb_build_object(
         'buyer', jsonb_build_object('userId', snapshot->'buyer'->'userId', 'name', null, 'email', null),
         'removed', encode(sha256(convert_to(concat(salt, snapshot), 'UTF8')), 'hex'))
  end;

create trigger documents_are_append_only before delete on documents
  for each row execute function refuse_change();
create trigger documents_lose_only_the_buyer before update on documents
  for each row when (
    new.snapshot is distinct from without_buyer(old.snapshot, old.salt) or new.salt is not null
    or to_jsonb(new) - 'snapshot' - 'salt' is distinct from to_jsonb(old) - 'snapshot' - 'salt')
  execute function refuse_change();

-- Checked at the commit, because each of the two tables refers to the other.
alter table payments add constraint paid_has_a_receipt foreign key (user_id, receipt_of, receipt_place)
  references documents (user_id, payment_id, place) deferrable initially deferred;

-- A document has the amount of its payment, and a known seller. The trigger runs once for each query, at its
-- end, when it has written the payments and sellers too.
create function require_booked_documents() returns trigger language plpgsql as $$
declare
  other text;
begin
  select d.payment_id into other
    from issued d join payments p on p.user_id = d.user_id and p.id = d.payment_id
   where p.amount * 100::bigint <> d.net_centimes + d.tax_centimes
   limit 1;
  if found then
    raise exception 'a document of payment % has another amount', other
      using errcode = 'integrity_constraint_violation';
  end if;
  select d.payment_id into other
    from issued d where not exists (select from seller_versions v where v.hash = d.seller)
   limit 1;
  if found then
    raise exception 'a document of payment % has no seller', other
      using errcode = 'integrity_constraint_violation', constraint = 'document_has_a_seller';
  end if;
  return null;
end $$;
create trigger documents_fit_their_payment after insert on documents
  referencing new table as issued
  for each statement execute function require_booked_documents();

-- A price that holds for some days, for a company to show before it pays. Proformas have a series of numbers
-- of their own.
create table proformas (
  user_id text not null,
  series text not null,
  number integer not null constraint number_is_positive check (number > 0),
  issued_at timestamptz not null,
  -- Of the day and everything that it was made from: the same request on that day returns the same proforma.
  request_digest text not null,
  -- What is sold at this price: the offer, or the plan change as it was agreed.
  agreed jsonb not null,
  -- Everything that the document shows.
  snapshot jsonb not null,
  -- The last payment that was opened from it.
  ordered_as text,
  constraint proformas_by_number primary key (user_id, series, number),
  constraint proformas_number_once unique (series, number),
  constraint proformas_once_a_day unique (user_id, request_digest)
);
comment on table proformas is 'Offers to companies, with a price that holds.';

-- The buyer's original is the first print of an invoice or credit note. Every later print is marked as a
-- duplicate.
create table printed_documents (
  number text not null,
  printed_at timestamptz not null,
  -- True if it went by mail: the mail, sent again, has the original again.
  by_mail boolean not null,
  constraint printed_documents_once primary key (number)
);
comment on table printed_documents is 'Invoices and credit notes that were printed.';

create table owed_invoices (
  user_id text not null,
  -- When the job checks the payments; while a process does, the end of its lease.
  due_at timestamptz not null,
  constraint owed_invoices_once primary key (user_id)
);
comment on table owed_invoices is
  'Users whose payments may be owed an invoice: details were given, or an invoice was taken back.';

create index owed_invoices_due on owed_invoices (due_at);


-- Events to the platform. Their schedule is in the user's row, so a query that writes an event cannot forget
-- it.

-- The query that writes an event has locked the user, and users are never deleted, so a foreign key would
-- only cost a lookup.
create table outbox (
  user_id text not null,
  sequence bigint not null constraint sequence_is_positive check (sequence > 0),
  id text not null,
  type text not null,
  payment_id text,
  -- The data of the event (core/event.ts). Events of one revision share it: only the last of them stores it.
  content jsonb,
  created_at timestamptz not null,
  traceparent text,
  -- The attempts since it was last queued, and the last one's status and error in words.
  attempts integer not null default 0 constraint attempts_count_up check (attempts >= 0),
  attempted_at timestamptz,
  answer_status integer,
  failure text,
  delivered_at timestamptz,
  -- Its place among the events of all users. Null: the platform has not read that far, so it has none yet.
  position bigint,
  constraint outbox_in_sequence primary key (user_id, sequence)
);
comment on table outbox is 'Each event to the platform, written with the change that it is about.';

create unique index outbox_by_id on outbox (id);
create index outbox_by_age on outbox (created_at);
create unique index outbox_placed on outbox (position) where position is not null;
create index outbox_to_place on outbox (created_at) where position is null;
create index users_deliver on users (deliver_at) where delivered_sequence < event_sequence;
create index users_announce on users (announce_at) where announce_at is not null;

-- The endpoint has one state for all users, so there is one row without a user.
create table event_endpoint (
  one boolean not null default true constraint is_the_only_row check (one),
  url text not null,
  -- When the service first had an address. Older events are not sent.
  deliver_from timestamptz not null,
  -- The first of the failures since the last success.
  failing_since timestamptz,
  disabled_at timestamptz,
  disabled_because text,
  constraint event_endpoint_once primary key (one),
  constraint disabled_for_a_reason check ((disabled_at is null) = (disabled_because is null))
);
comment on table event_endpoint is 'The platform''s address for events, and whether it answers.';


-- Mail

create table mails (
  user_id text not null,
  -- The capabilities define the kinds. Mail of a removed capability waits, because the capability may come
  -- back.
  kind text not null constraint kind_is_a_word check (kind ~ '^[a-z][a-z0-9_]*$'),
  -- The payment or grant; for a later invoice the payment and its place; for a reminder the end that it
  -- reminds of.
  about text not null,
  queued_at timestamptz not null,
  -- When the next attempt is due; while a process sends, its lease. Null: done.
  due_at timestamptz,
  attempts integer not null default 0 constraint attempts_count_up check (attempts >= 0),
  -- The final outcome, or the last error.
  outcome text,
  constraint mails_once primary key (user_id, kind, about)
);
comment on table mails is 'Each mail to a user. Its key makes it once, however many processes send.';

create index mails_due on mails (due_at) where due_at is not null;
create index mails_by_age on mails (queued_at);


-- Transfers: money that users send without a provider's page

create table transfers (
  user_id text not null,
  payment_id text not null,
  -- The payer writes it on the slip. It is the method_reference of the payment.
  reference text not null constraint reference_is_given check (reference <> ''),
  state text not null default 'open'
    constraint state_is_known check (state in ('open', 'ended', 'approved', 'refused')),
  -- Counts every change: an operator's decision names the version that it was made on.
  version bigint not null default 0 constraint version_counts_up check (version >= 0),
  -- The operators who have seen the money: [{by, at, amount, receivedAt, instrument}], instants in
  -- milliseconds.
  approvals jsonb not null default '[]',
  refusal text,
  -- When the first proof came. A run of paid time that was going on then continues.
  proof_at timestamptz,
  -- When it was last approved or refused. Proofs are erased some time after it.
  decided_at timestamptz,
  constraint transfers_one_per_payment primary key (user_id, payment_id),
  constraint transfer_of_a_payment foreign key (user_id, payment_id) references payments (user_id, id),
  constraint approved_by_someone check (state <> 'approved' or approvals <> '[]'),
  constraint refused_for_a_reason check (state <> 'refused' or refusal is not null)
);
comment on table transfers is 'What is known of each transfer beside its payment.';

-- An operator has a slip with a reference but no name.
create unique index transfers_by_reference on transfers (reference);
create index payments_transfers_open on payments (created_at, id)
  where method = 'transfer' and status = 'pending';
-- Transfers that may be paid although their end is past.
create index payments_transfers_expired on payments (created_at)
  where method = 'transfer' and status = 'expired';

create table transfer_proofs (
  user_id text not null,
  payment_id text not null,
  n integer not null constraint three_at_most check (n between 1 and 3),
  uploaded_at timestamptz not null,
  media_type text not null
    constraint media_type_is_known check (media_type in ('image/jpeg', 'image/png', 'application/pdf')),
  bytes integer not null constraint file_is_not_empty check (bytes > 0),
  -- The content's digest in hexadecimal: the same file sent again is no second proof.
  sha256 text not null,
  -- When the file was erased. The row stays as evidence that there was a proof.
  erased_at timestamptz,
  constraint transfer_proofs_by_number primary key (user_id, payment_id, n),
  constraint transfer_proofs_differ unique (user_id, payment_id, sha256),
  constraint proof_of_a_transfer foreign key (user_id, payment_id) references transfers
);
comment on table transfer_proofs is
  'The pictures and PDFs that users send to show that they made a transfer.';

-- Proofs to erase, oldest first, and equal files of other payments.
create index transfer_proofs_to_erase on transfer_proofs (uploaded_at) where erased_at is null;
create index transfer_proofs_same on transfer_proofs (sha256);

create table transfer_proof_parts (
  user_id text not null,
  payment_id text not null,
  n integer not null,
  part integer not null constraint part_counts_up check (part >= 0),
  content bytea not null,
  constraint transfer_proof_parts_in_order primary key (user_id, payment_id, n, part),
  constraint part_of_a_proof foreign key (user_id, payment_id, n) references transfer_proofs
);
comment on table transfer_proof_parts is 'The content of the proofs, in parts.';
-- Pictures cannot be compressed further.
alter table transfer_proof_parts alter column content set storage external;


-- Bank statements: money that reached the accounts, to be matched with waiting transfers

create table bank_statements (
  id text not null,
  account text not null constraint account_is_known check (account in ('ccp', 'baridimob', 'bank')),
  imported_at timestamptz not null,
  imported_by text not null constraint imported_by_someone check (imported_by <> ''),
  -- How the file was read: the columns, and the forms of days and amounts.
  form jsonb not null,
  -- The number of lines that were kept of the file.
  lines integer not null constraint statement_has_lines check (lines > 0),
  first_day date not null,
  last_day date not null,
  constraint bank_statements_by_id primary key (id),
  constraint days_run_forward check (last_day >= first_day)
);
comment on table bank_statements is 'Each file of an account that was read in, by whom and how.';

create index bank_statements_newest on bank_statements (imported_at);

create table bank_lines (
  -- A digest of account and row, so that the line is known again in other files; and, from the second equal
  -- row of a file on, its number among them.
  id text not null,
  -- The newest file with the line, until the line is decided.
  statement_id text not null constraint line_of_a_statement references bank_statements,
  -- The place of the line in the file.
  place integer not null constraint place_is_positive check (place > 0),
  account text not null constraint account_is_known check (account in ('ccp', 'baridimob', 'bank')),
  day date not null,
  -- Negative if the money went out.
  amount_centimes bigint not null constraint money_moved check (amount_centimes <> 0),
  text text not null,
  -- Each whole reference in the text. For money that went out, only references of transfers.
  refs text[] not null,
  -- Why a person must look at the line, whatever its reference says (bank-statements/bank-schemas.ts).
  doubts text[] not null default '{}'
    constraint doubts_are_known check (
      doubts <@ '{other_column,not_come,currency,left_out}'::text[]),
  -- The payment that it pays, written by the query that approves the payment.
  payment_id text,
  -- `approved`: its payment is booked. `payout`: a payout of the card provider. `set_aside`: money for
  -- no payment here. `returned`: money that went out with the reference of a transfer.
  state text not null default 'open'
    constraint state_is_known check (state in ('open', 'approved', 'payout', 'set_aside', 'returned')),
  decided_at timestamptz,
  decided_by text,
  reason text,
  constraint bank_lines_by_id primary key (id),
  constraint decided_at_an_instant check (state in ('open', 'payout', 'returned') or decided_at is not null),
  constraint only_money_out_is_returned
    check (case when amount_centimes > 0 then state <> 'returned'
                else state in ('returned', 'set_aside') end),
  constraint set_aside_for_a_reason check (state <> 'set_aside' or reason is not null),
  constraint only_open_or_approved_pays check (payment_id is null or state in ('open', 'approved'))
);
comment on table bank_lines is 'Each line of a bank statement, once, in however many files it stands.';

create index bank_lines_of_statement on bank_lines (statement_id, place);
create index bank_lines_open on bank_lines (day, id) where state = 'open';
create index bank_lines_named on bank_lines using gin (refs) with (fastupdate = off)
  where refs <> '{}';
create index bank_lines_decided on bank_lines (state, day, id) where state <> 'open';
create unique index one_line_pays_a_payment on bank_lines (payment_id) where payment_id is not null;


-- The desk: cash and cheques

create table drawer_days (
  -- The day in the billing time zone: `YYYY-MM-DD`.
  day text not null,
  -- How often it was counted: a decision names the count that it is about.
  counts integer not null constraint counts_up check (counts > 0),
  -- The books' sum at the count in centimes, and the counted money in whole dinars.
  cash_expected bigint not null,
  cheques_expected bigint not null,
  cash integer not null constraint cash_is_not_negative check (cash >= 0),
  cheques integer not null constraint cheques_are_not_negative check (cheques >= 0),
  counted_by text not null constraint counted_by_someone check (counted_by <> ''),
  counted_at timestamptz not null,
  confirmed_by text,
  confirmed_at timestamptz,
  constraint drawer_days_once primary key (day),
  constraint confirmed_by_someone check ((confirmed_by is null) = (confirmed_at is null)),
  constraint closed_by_two check (confirmed_by <> counted_by)
);
comment on table drawer_days is 'The count of each day''s drawer, and who confirmed it.';

-- Days that wait for a second operator.
create index drawer_days_waiting on drawer_days (counted_at) where confirmed_at is null;


-- Codes that are printed and given out. A code is found by its hash and belongs to no user.

create table code_batches (
  id text not null,
  kind text not null constraint kind_is_known check (kind in ('months', 'percent', 'amount')),
  -- The plan of a code of months, as it was when the batch was made: a later catalogue does not change it.
  plan jsonb,
  -- What a code of months gives. For another kind: the only plan and term that it is valid for; null: any.
  plan_id text,
  months integer constraint months_are_1_to_36 check (months between 1 and 36),
  percent integer constraint percent_is_1_to_100 check (percent between 1 and 100),
  amount integer constraint amount_is_positive check (amount > 0),
  count integer not null constraint count_is_positive check (count > 0),
  uses integer not null constraint uses_are_positive check (uses > 0),
  uses_per_user integer not null constraint uses_per_user_are_positive check (uses_per_user > 0),
  valid_from timestamptz,
  valid_until timestamptz,
  created_at timestamptz not null,
  created_by text not null,
  why text not null,
  revoked_at timestamptz,
  revoked_by text,
  constraint code_batches_by_id primary key (id),
  constraint worth_is_of_its_kind check (
    (kind = 'months') = (plan is not null) and (kind = 'percent') = (percent is not null)
    and (kind = 'amount') = (amount is not null)
    and (kind <> 'months' or (plan_id is not null and months is not null))
  ),
  constraint validity_runs_forward check (valid_until > valid_from)
);
comment on table code_batches is 'Codes that were made together and are worth the same.';

create index code_batches_newest on code_batches (created_at desc, id desc);

create table codes (
  -- HMAC-SHA256 of the code under CODE_KEYS. The code itself is not stored.
  hash text not null,
  batch_id text not null constraint code_of_a_batch references code_batches,
  -- May exceed `uses` of the batch, because a late payment counts too.
  used integer not null default 0 constraint used_counts_up check (used >= 0),
  constraint codes_by_hash primary key (hash)
);
comment on table codes is 'Each code, and how often it was used.';

create index codes_of_batch on codes (batch_id);
create index payments_of_code on payments (code_hash, created_at desc, id desc) where code_hash is not null;

create table code_tries (
  user_id text not null,
  -- The tries of the last hour: wrong codes, and codes that are being checked.
  tried_at timestamptz[] not null,
  constraint code_tries_of_user primary key (user_id)
);
comment on table code_tries is 'When each user tried a code, so that codes cannot be guessed.';


-- Grants: time that no payment bought

create table grants (
  user_id text not null constraint grant_of_a_user references users,
  id text not null,
  -- The caller's name for the act. The audit trail has it too, so a repetition grants nothing.
  operation_id text,
  plan jsonb not null,
  months integer not null constraint months_count_up check (months >= 0),
  days integer not null constraint days_count_up check (days >= 0),
  period_start timestamptz not null,
  period_end timestamptz not null,
  granted_at timestamptz not null,
  granted_by text,
  -- The role of the operator: what support may grant is limited.
  granted_role text,
  why text,
  -- Granted days after granted days of the same plan are one period of the user, with the id of its first
  -- grant. The others name that id here and move with it.
  part_of text,
  -- The code that gave months. This use is never returned.
  code_hash text,
  constraint grants_by_id primary key (user_id, id),
  constraint gives_months_or_days check ((months = 0) <> (days = 0)),
  constraint period_runs_forward check (period_end > period_start)
);
comment on table grants is
  'What was granted, for ever: the periods of a user are forgotten when they are over.';

-- A user has one trial.
create unique index grants_one_trial on grants (user_id) where starts_with(id, 'tri_');
create index grants_of_code on grants (code_hash, granted_at desc, id desc) where code_hash is not null;


-- The books are computed from documents. Only closings are stored.

-- Months are closed in order, and the last one is reopened first.
create table month_closings (
  -- Counts all closings and reopenings. The last row says which months are closed.
  place integer not null constraint place_counts_from_one check (place > 0),
  act text not null constraint act_is_known check (act in ('close', 'reopen')),
  -- The month in the billing time zone: `YYYY-MM`.
  month text not null,
  -- The last number of each series that is in the month: {series: number}.
  counted jsonb,
  -- The declared sums, in centimes.
  totals jsonb,
  acted_at timestamptz not null,
  actor text not null constraint acted_by_someone check (actor <> ''),
  reason text,
  -- The last closed month after this row, and its end. Null: none is closed.
  last_closed text,
  -- Later entries have no earlier instant, even if a clock was set back.
  closed_until timestamptz,
  constraint month_closings_in_order primary key (place),
  constraint a_closing_has_totals check (
    (act = 'close') = (totals is not null) and (act = 'close') = (counted is not null)
  ),
  constraint last_closed_has_an_end check ((last_closed is null) = (closed_until is null))
);
comment on table month_closings is
  'Closings of months with what was declared, and their reopenings. Entries are irreversible.';

create index month_closings_of_month on month_closings (month, place);
create trigger month_closings_are_append_only before update or delete on month_closings
  for each row execute function refuse_change();

create table month_differences (
  place integer not null constraint difference_of_a_closing references month_closings,
  found_at timestamptz not null,
  constraint month_differences_once primary key (place)
);
comment on table month_differences is
  'Closings whose documents add up to something else than what was declared, as the last check found them.';

create index payments_by_paid_at on payments (paid_at) where paid_at is not null;
create index documents_by_issue on documents (issued_at) where place > 0;
-- Balance entries without a receipt of their own. They are few.
create index balance_entries_by_hand on balance_entries (created_at, kind, amount)
  where kind in ('returned', 'correction', 'paid_out');
-- Users by the end of their time, and by the instant at which an operator ended it.
create index users_by_end on users (paid_until, user_id) where ended_at is null;
create index users_ended on users (ended_at, user_id) where ended_at is not null;
-- The rest of the list of users: users who never had time, and users with money on their balance.
create index users_unpaid on users (created_at, user_id) where paid_until is null and ended_at is null;
create index users_with_balance on users (created_at, user_id) where balance > 0;
create index users_changed on users (coalesce(changed_at, created_at), user_id);


-- Sealed books

-- One chain over documents, balance entries and the audit trail, in the order in which a job saw them. A seal
-- names its entry by the entry's own key.
create table seals (
  position bigint not null constraint position_counts_from_one check (position > 0),
  kind text not null constraint kind_is_known check (kind in ('document', 'balance_entry', 'act')),
  -- The series of a document; the user of a balance entry or an act.
  series text not null,
  -- The number of a document, the sequence of a balance entry; 0 for an act.
  number integer not null,
  -- The id of an act; empty elsewhere.
  act_id text not null,
  -- Which columns were hashed, and how they were written: seals/content.sql.ts.
  form integer not null,
  -- SHA-256 of the hash before it and of the content, in hexadecimal.
  hash text not null constraint hash_is_sha256 check (hash ~ '^[0-9a-f]{64}$'),
  constraint seals_in_order primary key (position),
  constraint seals_once unique (kind, series, number, act_id)
);
comment on table seals is
  'The hash chain over documents, balance entries and the audit trail. Rows are never changed.';

create index seals_of_acts on seals (position) where kind = 'act';
create trigger seals_are_append_only before update or delete on seals
  for each row execute function refuse_change();

create table seal_heads (
  -- `YYYY-MM-DD`, in the billing time zone.
  day text not null,
  position bigint not null,
  hash text not null,
  -- When it was sent by mail, and as an event. Null: not yet, or no receiver is configured.
  mailed_at timestamptz,
  told_at timestamptz,
  constraint seal_heads_by_day primary key (day)
);
comment on table seal_heads is 'The last seal at the end of each day, which others are told.';

create trigger seal_heads_are_append_only before delete or update of day, position, hash on seal_heads
  for each row execute function refuse_change();


-- The reconciliation of our books with the provider's list

create table reconciliations (
  id text not null,
  -- Each method has its own list and its own reconciliation.
  method text not null constraint method_is_given check (method <> ''),
  since_at timestamptz not null,
  started_by text not null,
  started_at timestamptz not null,
  -- True: payments without a row are booked, from what their checkouts say.
  books_unknown boolean not null default false,
  -- First the provider's list, page by page, then our payments that it did not show. finished_at: both are
  -- done.
  next_page integer constraint next_page_is_positive check (next_page > 0),
  calls integer not null default 0,
  checkouts integer not null default 0,
  discrepancies integer not null default 0,
  -- No process continues it before this instant, which limits the calls of all processes together.
  next_round_at timestamptz not null,
  finished_at timestamptz,
  constraint reconciliations_by_id primary key (id)
);
comment on table reconciliations is
  'Each reading of a provider''s list. It goes on where it stopped, in whatever process.';

create index reconciliations_newest on reconciliations (started_at desc);
create index reconciliations_unfinished on reconciliations (started_at) where finished_at is null;

create table discrepancies (
  id text not null,
  -- Null while it is unknown whose checkout it is.
  user_id text,
  -- Two gateways may use the same checkout id.
  method text not null constraint method_is_given check (method <> ''),
  checkout_id text not null,
  kind text not null constraint kind_is_known check (
    kind in ('paid_not_booked', 'booked_not_paid', 'differs', 'unknown_paid')
  ),
  payment_id text,
  -- The outcome of its settlement, or `reported`.
  outcome text not null,
  details jsonb not null,
  -- Grows when the provider reports something else.
  version integer not null default 1,
  reconciliation_id text not null,
  found_at timestamptz not null,
  seen_at timestamptz not null,
  -- After an operator closed it, it comes back only if the provider reports something else.
  closed_at timestamptz,
  closed_by text,
  closed_because text,
  constraint discrepancies_by_id primary key (id),
  constraint discrepancies_once unique (checkout_id, kind, method),
  constraint closed_for_a_reason check (
    (closed_at is null) = (closed_by is null) and (closed_at is null) = (closed_because is null)
  )
);
comment on table discrepancies is
  'What only one side has, or has differently. Seen again, it is the same discrepancy.';

create index discrepancies_newest on discrepancies (seen_at desc);


-- Bulk acts: an act on each item of a list. The list is stored when it is confirmed.

create table bulk_acts (
  id text not null,
  act text not null,
  input jsonb not null,
  -- The filter that found the list; null: the list was given.
  filter jsonb,
  why text not null,
  operator text not null constraint operator_is_given check (operator <> ''),
  role text not null,
  -- Whether the operator is known by a key of OPERATOR_KEYS.
  by_key boolean not null,
  targets integer not null constraint targets_are_counted check (targets > 0),
  made_at timestamptz not null,
  finished_at timestamptz,
  stopped_because text,
  constraint bulk_acts_by_id primary key (id)
);
comment on table bulk_acts is 'Each act on a list: who wants what, and why.';

create index bulk_acts_newest on bulk_acts (made_at desc, id desc);
create index bulk_acts_unfinished on bulk_acts (made_at) where finished_at is null;

create table bulk_targets (
  bulk_id text not null constraint target_of_a_bulk references bulk_acts,
  place integer not null,
  target text not null,
  -- No other process works on it before this instant.
  leased_until timestamptz not null,
  attempts integer not null default 0,
  -- Null: not done yet.
  result text constraint result_is_known check (result in ('done', 'refused', 'failed', 'stopped')),
  code text,
  constraint bulk_targets_by_place primary key (bulk_id, place),
  constraint bulk_targets_once unique (bulk_id, target)
);
comment on table bulk_targets is 'Each target of an act on a list, and what became of it.';

create index bulk_targets_left on bulk_targets (bulk_id, place) where result is null;


-- Backup

-- Receipt numbers issued after the backup are unknown. From each of these instants on, receipts have a new
-- series.
create table restores (
  restored_at timestamptz,
  constraint restores_by_instant primary key (restored_at)
);
comment on table restores is 'When this database was filled from a backup that may lack what came after it.';


-- Access. Secrets are stored only as SHA-256, so a reader of these tables cannot sign in with them.

create table operators (
  name text not null constraint operator_name_is_one check (name ~ '^[A-Za-z0-9_.@-]{1,64}$'),
  role text not null constraint operator_role_is_named check (role ~ '^[a-z][a-z0-9_-]{0,31}$'),
  -- SHA-256 of a key of 256 random bits, which cannot be found by trying.
  key_digest text not null,
  created_at timestamptz not null,
  -- When the present key was made.
  keyed_at timestamptz not null,
  blocked_at timestamptz,
  version bigint not null default 1,
  constraint operators_by_name primary key (name),
  constraint operators_key_once unique (key_digest)
);
comment on table operators is
  'Operators whom an owner made, beside those of the environment and of the issuer.';

-- Two spellings of a name must not count as two operators who approve.
create unique index operators_name_once on operators (lower(name));

create table operator_sessions (
  id text not null,
  session_digest text not null,
  operator text not null constraint operator_is_given check (operator <> ''),
  role text not null constraint role_is_named check (role ~ '^[a-z][a-z0-9_-]{0,31}$'),
  signed_in_by text not null constraint way_in_is_known check (signed_in_by in ('key', 'oidc')),
  -- An HMAC of the key under the session's secret.
  key_digest text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint operator_sessions_by_id primary key (id),
  constraint operator_sessions_secret_once unique (session_digest),
  constraint by_key_has_a_digest check (signed_in_by <> 'key' or key_digest is not null)
);
comment on table operator_sessions is 'Operators who are signed in at the console.';

create index operator_sessions_by_end on operator_sessions (expires_at);

create table portal_sessions (
  user_id text not null constraint user_id_is_given check (user_id <> ''),
  id text not null,
  link_digest text,
  session_digest text,
  -- The end of the link, and of the session once it has begun.
  expires_at timestamptz not null,
  -- The path on the platform to which "back" leads.
  return_path text,
  -- The person of the account and their role; null: the account itself.
  person_id text,
  billing_role text not null default 'owner'
    constraint billing_role_is_known check (billing_role in ('owner', 'payer', 'reader')),
  constraint portal_sessions_by_id primary key (user_id, id),
  constraint link_or_session check ((link_digest is null) <> (session_digest is null))
);
comment on table portal_sessions is
  'Links into the portal and its sessions: one row from the link to the session that it becomes.';

create unique index portal_sessions_by_link on portal_sessions (link_digest)
  where link_digest is not null;
create unique index portal_sessions_by_session on portal_sessions (session_digest)
  where session_digest is not null;
create index portal_sessions_by_end on portal_sessions (expires_at);

-- One row for each address, known or not, so that neither the time nor the rows show which. The mail job
-- finds the users of the address and deletes the row.
create table portal_link_requests (
  id text not null,
  email text not null,
  constraint portal_link_requests_by_id primary key (id)
);
comment on table portal_link_requests is 'Addresses that were typed into the portal''s form for a link.';

create index users_by_email on users (lower(email)) where email is not null;
create unique index users_by_phone on users (phone) where phone is not null;


-- The overview: what waits for operators, and their search. Each kind of waiting item has an index of its
-- own.

create table inbox_known (
  kind text not null,
  id text not null,
  -- Whether operators got a mail about it.
  mailed boolean not null default false,
  constraint inbox_known_once primary key (kind, id)
);
comment on table inbox_known is
  'Inbox entries that the mail to operators has seen. A row goes when its entry waits no more.';

-- Finds a payment by a part of its number on paper. Payments by card have no such number.
create index payments_reference_begins on payments (method_reference collate "C")
  where method in ('transfer', 'cash', 'cheque');
create index payments_reference_ends on payments (reverse(method_reference) collate "C")
  where method in ('transfer', 'cash', 'cheque');
create index payments_in_review on payments (created_at desc, id desc) where status = 'review';
create index payments_second on payments (paid_at, id)
  where second_of is not null and status = 'paid' and kept_at is null;
create index transfers_to_decide on transfers (proof_at, payment_id)
  where state in ('open', 'ended') and (proof_at is not null or approvals <> '[]');
create index mails_failed on mails (queued_at)
  where outcome like 'refused:%' or (outcome like 'failed:%' and attempts >= 5);

-- The list of payments: all, or by status and method. The query `operator.newest_listed` has this expression.
create index payments_listed on payments (
  (case when method in ('card', 'transfer', 'cash', 'cheque', 'balance') then method else 'card' end),
  status, created_at, id);

-- Removes case and accents; for Arabic vowel signs, tatweel, hamza on letters, and the variants of alef, yeh,
-- kaf and teh marbuta. Accents are removed first: lower() knows ASCII letters in every locale, others only in
-- some.
create function search_key(typed text) returns text language sql immutable strict parallel safe as $$
  select lower(translate(
    regexp_replace(
      normalize(typed, NFKD), '[\u0300-\u036f\u0640\u064b-\u065f\u0670\u200b-\u200f\u061c]', '', 'g'),
    'ٱىیةک', 'اييهك'))
$$;

-- The words of a name, ten at most because companies have long names.
create function search_words(typed text) returns text[] language sql immutable strict parallel safe as $$
  select (array_remove(regexp_split_to_array(search_key(typed), '[\s.,;:''’"()_/·-]+'), ''))[1:10]
$$;

-- The phonetic key of words in either script: the consonants that the Arabic and the Algerian Latin spelling
-- of a name share. Vowels and h count only at the beginning. The article is removed, also inside Abdelkader.
-- `dhal` is the reading of ذ, ظ and dh: d or z. If it is z, an s between vowels is a z too, as in Louisa
-- (لويزة).
create function search_phonetic_key(words text, dhal text) returns text
  language plpgsql immutable strict parallel safe as $$
declare
  s text := words;
  rule text[];
begin
  if dhal = 'z' then
    s := regexp_replace(s, '([aeiouy])s(?=[aeiouy])', '\1z', 'g');
  end if;
  foreach rule slice 1 in array array[
    ['(^| )(abd|nour|oum|seif|عبد|نور|ام(?= )|سيف) ?([aei]l|ال) ?', '\1\2'],
    ['(^| )([aei]l |[ei]l)(?=[aeiouy])', '\1l'],
    ['(^| )([aei]l ?(?=[^ aeiouyl])|e(?=dd|ss|rr|nn|tt|zz))', '\1'],
    ['(^| )ال(?=[اعيو])', '\1ل'],
    ['(^| )ال(?=[^ ]{2})', '\1'],
    ['اه(?= |$)', 'ات'],
    ['sch|ch|sh', 'ش'], ['c(?=[eiy])', 's'],
    ['^ou(?=[aeiy])', 'w'], ['([nن]) \1', '\1'], ['([a-z])\1+', '\1']
  ] loop
    s := regexp_replace(s, rule[1], rule[2], 'g');
  end loop;
  s := replace(replace(replace(s, 'kh', 'خ'), 'gh', 'غ'), 'dj', 'ج');
  s := replace(replace(replace(s, 'th', 'ت'), 'dh', 'ذ'), 'ph', 'ف');
  s := translate(left(s, 1), 'wوyيhهحaeiouاع', 'WWYYHHHAAAAAAA') || substr(s, 2);
  return translate(s, 'بپتطثدضرزسصشغفڤقكگخلمنجpvqcgذظ aeiouywhاعويهحء',
    'bbtttddrzsscgffkkkxlmnjbfkkk' || dhal || dhal);
end $$;

-- A company's number from its first digit on, without separators.
create function search_number(typed text) returns text language sql immutable strict parallel safe as $$
  select substring(translate(
    regexp_replace(search_key(typed), '[\s.,/_()°\u2010-\u2015-]+', '', 'g'),
    '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹', '01234567890123456789') from '\d.*')
$$;

-- The search keys: the address, and for each name (the user's and the one on invoices) the name from each
-- word on, followed by the words before it, so that any order of words matches. After a tilde the sound of
-- the user's name; a company's would begin with SARL, which sounds like سارة. After a # the NIF and the RC.
create function search_keys(name text, email text, buyer jsonb) returns setof text
  language sql immutable parallel safe as $$
  select left(search_key(email), 200) where email <> ''
   union
  select left('#' || search_number(typed), 200)
    from (values (buyer ->> 'nif'), (buyer ->> 'rc')) n(typed) where search_number(typed) <> ''
   union
  select left(key, 200)
    from (values (name, true), (buyer ->> 'name', false)) n(called, is_users),
         lateral (select search_words(called) as w) words, generate_subscripts(w, 1) i,
         lateral (select array_to_string(w[i:] || w[:i - 1], ' ') as turned) t,
         lateral (values (turned), (case when is_users then '~' || search_phonetic_key(turned, 'd') end),
                         (case when is_users then '~' || search_phonetic_key(turned, 'z') end)) k(key)
   where key is not null
$$;

-- A separate table, so that a booking, which changes the user's row, does not touch it.
create table user_search (
  user_id text not null,
  -- Sorted by code points in every database, so that a prefix is a range.
  key text collate "C" not null,
  constraint user_search_once primary key (user_id, key)
);
comment on table user_search is
  'What users are found by: how the address, a word of a name or a number of the company begins, or sounds.';

create index user_search_by_key on user_search (key, user_id);

-- Several queries write profiles and buyers' details. A trigger sees all of them.
create function keep_user_search() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    delete from user_search where user_id = new.user_id;
  end if;
  insert into user_search (user_id, key)
    select new.user_id, key from search_keys(new.name, new.email, new.buyer) key;
  return null;
end $$;
create trigger user_search_of_new_users after insert on users
  for each row when (num_nonnulls(new.name, new.email, new.buyer) > 0) execute function keep_user_search();
create trigger user_search_of_changed_users after update of name, email, buyer on users
  for each row when ((old.name, old.email, old.buyer) is distinct from (new.name, new.email, new.buyer))
  execute function keep_user_search();
