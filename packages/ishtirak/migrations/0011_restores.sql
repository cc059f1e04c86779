-- oldest-code: 7
-- When this database was filled from a backup that may lack what came after it: receipt numbers issued since the backup are
-- unknown, so from each of these instants on receipts have a series of their own. `restore` of an older backup makes the
-- table itself, in the transaction that fills the database.
create table if not exists restores (restored_at timestamptz primary key);

-- Whether the operator wants payments without a row booked, from what the checkout says of itself.
alter table comparisons add column books_unknown boolean not null default false;
