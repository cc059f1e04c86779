-- oldest-code: 12
-- Payments that another purchase withdrew and whose page is still to be ended at the provider: few, and asked for by each
-- click, however long ago they were begun.
create index payments_withdrawn on payments (user_id) where status = 'canceled' and next_check_at is not null;
