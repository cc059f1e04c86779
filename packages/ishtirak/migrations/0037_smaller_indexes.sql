-- oldest-code: 12
-- Most of what a payment takes on disk are its indexes. One finds it by its id, with or without its user; and behind the instant of a
-- payment no id is needed: the few of one instant are sorted when they are read. What takes long comes first and lets readers go on.
create index payments_by_payment_now on payments (paid_at) where paid_at is not null;
drop index payments_by_payment;
alter index payments_by_payment_now rename to payments_by_payment;
-- No statement has found anything by it: what came in about a payment is read among its user's.
drop index provider_events_of_payment;

alter table receipts drop constraint receipts_user_id_payment_id_fkey;
alter table transfers drop constraint transfers_user_id_payment_id_fkey;
alter table payments drop constraint payments_pkey;
alter table payments add constraint payments_by_id primary key using index payments_by_id;
-- Checked for new rows from here on, and for those that are there by the next migration.
alter table receipts add constraint receipts_of_payment
  foreign key (user_id, payment_id) references payments (user_id, id) not valid;
alter table transfers add constraint transfers_of_payment
  foreign key (user_id, payment_id) references payments (user_id, id) not valid;
