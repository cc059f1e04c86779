-- What the platform counts: usage against limits. A user who never paid has usage too, so nothing here refers to users.

-- One row for each thing that is counted, made at its first use and then changed in place.
create table usage (
  user_id text not null check (user_id <> ''),
  limit_name text not null check (limit_name in ('projects', 'domains_per_project', 'deploys_per_day', 'storage_mb')),
  -- Empty unless the limit is per project.
  project_id text not null,
  used bigint not null check (used >= 0),
  -- A daily count is of the day that ends here; later it counts for nothing. Null for gauges.
  resets_at timestamptz,
  -- Counts every change. A change names the revision that it follows on, so that two first uses cannot both be the first.
  revision bigint not null check (revision > 0),
  constraint usage_once primary key (user_id, limit_name, project_id),
  constraint usage_project_where_due check ((project_id <> '') = (limit_name = 'domains_per_project')),
  constraint usage_day_where_due check ((resets_at is not null) = (limit_name = 'deploys_per_day'))
);

-- What was consumed and given back, with the answer that was given: a repeated operation is told the same and counts once.
-- Kept for 48 hours.
create table usage_operations (
  user_id text not null,
  operation_id text not null,
  kind text not null check (kind in ('consume', 'release')),
  limit_name text not null,
  project_id text not null,
  amount bigint not null check (amount > 0),
  -- How much of what was consumed has been given back since.
  given_back bigint not null default 0,
  maximum bigint not null,
  used bigint not null,
  resets_at timestamptz,
  created_at timestamptz not null,
  constraint usage_operations_once primary key (user_id, operation_id, kind),
  constraint usage_operations_given_back_once check (given_back between 0 and amount)
);
-- The sweep's: follows what is old enough to be forgotten.
create index usage_operations_by_age on usage_operations (created_at);
