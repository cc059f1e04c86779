-- oldest-code: 12
-- Paid time may have another source than a payment: days that the operator grants. The end of granted time is the anchor of
-- the months after it, so a run may have no months yet, and then ends where it begins.
alter table users
  drop constraint users_run_months_check,
  add constraint users_run_months_check check (run_months >= 0),
  drop constraint users_run_runs_forward,
  add constraint users_run_runs_forward check (paid_until >= anchor_at);

-- Of granted time `months` is 0 and `granted` has its days. Code before reads the end right, and the months after it; it
-- takes the source for a payment. A refund that it records may leave out days that were granted after the refunded period.
comment on column users.months is
  'the periods that are not over, and the last: [{paymentId, plan, start, end, months, granted}]; paymentId is the source';
