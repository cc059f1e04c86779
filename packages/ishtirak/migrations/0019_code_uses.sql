-- oldest-code: 12
-- A payment says by which code it is cheaper, and by how much. It holds a use of the code from its request on; the use is
-- counted in codes.used by the statement that moves the payment, and comes back with a payment that dies unpaid. Code before
-- sells without codes, and leaves the count of those it finds as it is.
alter table payments
  add column code_hash text,
  add column discount integer not null default 0 check (discount >= 0);

-- The instants at which a user tried a code in the last hour: wrong codes, and those that are being looked at.
create table code_tries (
  user_id text not null primary key,
  tried_at timestamptz[] not null
);

-- Months that a code gave are a grant, which holds a use of the code for ever; `statement` is what its user is shown of it.
alter table grants
  add column code_hash text,
  add column statement jsonb,
  add constraint grants_by_code_have_statement check ((code_hash is null) = (statement is null));
