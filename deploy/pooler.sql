-- Settings of the role where a pooler in transaction mode stands before the server: it carries none itself.
alter role ishtirak set statement_timeout = '4s';
alter role ishtirak set idle_in_transaction_session_timeout = '1min';
alter role ishtirak set enable_seqscan = off;
alter role ishtirak set enable_hashjoin = off;
alter role ishtirak set enable_mergejoin = off;
alter role ishtirak set plan_cache_mode = force_generic_plan;
alter role ishtirak set jit = off;
alter role ishtirak set max_parallel_workers_per_gather = 0;
