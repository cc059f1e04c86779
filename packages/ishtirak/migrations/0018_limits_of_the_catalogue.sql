-- oldest-code: 12
-- Which limits there are is the catalogue's, so a count says what it counts as: `day`, `month`, `gauge`, or `gauge/` and what it
-- is for each of, whose id is in `project_id`. One that counts as something else than its limit does now counts as zero. Null
-- where code before wrote it: it counts as that code's four limits do.
alter table usage
  add column counts_as text,
  drop constraint usage_limit_name_check,
  drop constraint usage_project_where_due,
  drop constraint usage_day_where_due,
  add constraint usage_limit_name_check check (limit_name ~ '^[a-z][a-z0-9_]{0,62}$'),
  add constraint usage_project_where_due check ((project_id <> '') = (counts_as like 'gauge/%')),
  add constraint usage_window_where_due check ((resets_at is not null) = (counts_as in ('day', 'month')));
