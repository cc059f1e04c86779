-- oldest-code: 7
-- A refund is announced to the user by mail, as a receipt is. The code before can run on this: it writes the kinds that it
-- knows, and a mail of the new kind waits for a process that knows it.
alter table mails drop constraint mails_kind_check;
alter table mails add constraint mails_kind_check check (
  kind in ('receipt', 'refunded', 'expiring_7_days', 'expiring_3_days', 'expiring_1_day', 'past_due', 'expired')
);

create or replace function owe_mail() returns trigger language plpgsql as $$
begin
  insert into mails (user_id, kind, about, queued_at, due_at)
  select user_id,
         case type
           when 'payment.refunded' then 'refunded'
           else coalesce(payload->'data'->'announcement'->>'boundary', 'receipt')
         end,
         coalesce(payload->'data'->'payment'->>'id', payload->'data'->'subscription'->>'current_period_end'),
         created_at, created_at
    from told
   where type in ('payment.paid', 'payment.refunded', 'subscription.expiring', 'subscription.past_due',
                  'subscription.expired')
      on conflict do nothing;
  return null;
end $$;
