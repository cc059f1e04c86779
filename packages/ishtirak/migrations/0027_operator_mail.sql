-- oldest-code: 12
-- What waits in the inbox and is known: operators were told of it by mail, or will be. What waits no more is forgotten.

create table inbox_known (
  kind text not null,
  id text not null,
  told boolean not null default false,
  primary key (kind, id)
);
