-- oldest-code: 12
-- Addresses that were typed into the portal's form: each is one row, known or not, so that neither the time nor what is written tells
-- which. The mail job looks for their users, and deletes the row. Code before owes the mail itself.
create table portal_link_requests (
  id text primary key,
  email text not null
);
