-- Paid means: has a receipt. The column names the receipt that the payment must have; the database computes it, so code
-- that does not know the column obeys as well. Checked at the commit, since each of the two tables refers to the other.
alter table payments
  add column receipt_of text generated always as (case when status in ('paid', 'refunded') then id end) stored,
  add constraint payments_paid_has_receipt foreign key (user_id, receipt_of)
    references receipts (user_id, payment_id) deferrable initially deferred;
