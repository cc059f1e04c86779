-- oldest-code: 7
-- What the provider said each time it changed a payment, oldest first: by which way it came, and what followed. The
-- operator sees from it what was believed. A handful at most: each of them moved the payment on.
alter table payments add column reports jsonb not null default '[]';
