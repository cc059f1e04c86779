-- oldest-code: 12
-- A payment says how many months it buys, and by which method it is paid: `method` names the way (a gateway), where
-- `payment_method` is the kind of card. Code before leaves both out: it sells single months through Chargily.
alter table payments
  add column months integer not null default 1 check (months > 0),
  add column method text not null default 'chargily' check (method <> '');

-- Two methods may use the same id, and each has a place of its own for an open payment. The names of the indexes stay,
-- since code before knows one of them.
drop index payments_checkout;
create unique index payments_checkout on payments (checkout_id, method, user_id) where checkout_id is not null;
drop index payments_one_open_per_user;
create unique index payments_one_open_per_user on payments (user_id, method) where status in ('requested', 'pending');

alter table provider_events
  add column method text not null default 'chargily' check (method <> ''),
  drop constraint provider_events_once,
  add constraint provider_events_once primary key (user_id, method, id);

-- Each method is compared by itself: its list is its own.
alter table comparisons add column method text not null default 'chargily' check (method <> '');

-- Elements of this column, [{paymentId, plan, start, end, months}], lack `months` where code before wrote them: 1.
comment on column users.months is 'the paid periods that are not over, and the last';
