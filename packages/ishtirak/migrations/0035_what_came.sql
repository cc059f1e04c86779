-- oldest-code: 12
-- What came is what is booked: `amount` of a payment for which an operator took another amount is what came, and `amount_asked` what
-- was asked for. Code before neither writes nor reads it, and books what was asked for.
alter table payments
  add column amount_asked integer check (amount_asked > 0),
  add constraint payments_asked_beside_booked check (
    amount_asked is null or (status in ('paid', 'refunded') and amount_asked <> amount)
  );

-- From the booking on the amount stays.
create function refuse_other_amount() returns trigger language plpgsql as $$
begin
  raise exception 'payment % is booked and its amount cannot change', old.id using errcode = 'integrity_constraint_violation';
end $$;
create trigger payments_booked_amount_is_final before update of amount, amount_asked on payments
  for each row
  when (old.status in ('paid', 'refunded')
        and (new.amount, new.amount_asked) is distinct from (old.amount, old.amount_asked))
  execute function refuse_other_amount();

-- A receipt is made out for what its payment booked. Asked once for all receipts of a statement, at its end, when it has written
-- the payments too.
create function require_booked_amounts() returns trigger language plpgsql as $$
declare
  other text;
begin
  select r.payment_id into other from issued r
   where (select p.amount from payments p where p.user_id = r.user_id and p.id = r.payment_id)
         <> (r.snapshot->>'amount')::integer
   limit 1;
  if found then
    raise exception 'receipt of payment % has another amount', other using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create trigger receipts_have_booked_amount after insert on receipts
  referencing new table as issued
  for each statement execute function require_booked_amounts();
