-- oldest-code: 12
-- Operators in a browser. Of a session's secret only the SHA-256 is kept; of the key it came from an HMAC under that secret.

create table operator_sessions (
  id text not null primary key,
  session_digest text not null unique,
  operator text not null check (operator <> ''),
  role text not null check (role in ('viewer', 'support', 'accountant', 'owner')),
  signed_in_by text not null check (signed_in_by in ('key', 'oidc')),
  key_digest text check (signed_in_by <> 'key' or key_digest is not null),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index operator_sessions_by_end on operator_sessions (expires_at);

-- Names the sending of a form: what was done by it is found, and not done again. Code before writes null.
alter table audit add column operation_id text;
create unique index audit_operations on audit (user_id, operation_id) where operation_id is not null;
