-- oldest-code: 12
-- That a receipt is made out for what its payment booked is asked once for all receipts of a statement, at its end, when it
-- has written the payments too: at the commit it was asked for each.
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
drop trigger receipts_have_booked_amount on receipts;
create trigger receipts_have_booked_amount after insert on receipts
  referencing new table as issued
  for each statement execute function require_booked_amounts();
drop function require_booked_amount();

-- Events are written by the statement that has locked their user, and users are never deleted: what the constraint looked up for
-- each event was found by then.
alter table outbox drop constraint outbox_user_id_fkey;
