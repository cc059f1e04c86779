-- oldest-code: 12
-- The references of 0037, checked for all rows while readers and writers go on.
alter table receipts validate constraint receipts_of_payment;
alter table transfers validate constraint transfers_of_payment;
