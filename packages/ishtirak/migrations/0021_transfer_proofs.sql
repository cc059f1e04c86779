-- oldest-code: 12
-- What users send to show that they made a transfer: pictures and PDFs, in parts, so that none is held whole on its way.

create table transfer_proofs (
  user_id text not null,
  payment_id text not null,
  n integer not null check (n between 1 and 3),
  uploaded_at timestamptz not null,
  media_type text not null check (media_type in ('image/jpeg', 'image/png', 'application/pdf')),
  bytes integer not null check (bytes > 0),
  -- Of the content, in hex: the same file sent again is no second proof.
  sha256 text not null,
  -- The parts are gone; that there was a proof stays known.
  erased_at timestamptz,
  primary key (user_id, payment_id, n),
  foreign key (user_id, payment_id) references transfers,
  constraint transfer_proofs_differ unique (user_id, payment_id, sha256)
);

create table transfer_proof_parts (
  user_id text not null,
  payment_id text not null,
  n integer not null,
  part integer not null check (part >= 0),
  content bytea not null,
  primary key (user_id, payment_id, n, part),
  foreign key (user_id, payment_id, n) references transfer_proofs
);
-- Pictures do not get smaller.
alter table transfer_proof_parts alter column content set storage external;

-- What is to be erased, oldest first.
create index transfer_proofs_kept on transfer_proofs (uploaded_at) where erased_at is null;

-- Of the last approval or refusal. Proofs are kept for a time after it.
alter table transfers add column decided_at timestamptz;

alter table mails drop constraint mails_kind_check;
alter table mails add constraint mails_kind_check check (
  kind in ('receipt', 'refunded', 'granted', 'payment_requested', 'proof_received', 'payment_refused', 'portal_link',
           'expiring_7_days', 'expiring_3_days', 'expiring_1_day', 'past_due', 'expired')
);
