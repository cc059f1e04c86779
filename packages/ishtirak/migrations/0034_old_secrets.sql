-- oldest-code: 12
-- When secrets that stand behind the first one of their list were last accepted, to the hour, for `ishtirak doctor`. The
-- fingerprint names a secret and opens nothing.
create table old_secrets (
  list text not null,
  fingerprint text not null,
  watched_since timestamptz not null,
  used_at timestamptz,
  primary key (list, fingerprint)
);
