-- oldest-code: 12
-- The slip of a cash desk and the number of a cheque name one payment, of whichever user, and are one in upper and lower case. Two
-- users who were given one at the same instant keep what was booked; the later payment has its own id behind its reference, as
-- an operator would enter it anew.
update payments p set checkout_id = upper(p.checkout_id || ' ' || p.id)
 where p.method in ('cash', 'cheque')
   and exists (
     select from payments e
      where e.method = p.method and upper(e.checkout_id) = upper(p.checkout_id)
        and (e.created_at, e.id) < (p.created_at, p.id)
   );
update payments set checkout_id = upper(checkout_id)
 where method in ('cash', 'cheque') and checkout_id <> upper(checkout_id);
create unique index payments_desk_reference on payments (checkout_id, method) where method in ('cash', 'cheque');
