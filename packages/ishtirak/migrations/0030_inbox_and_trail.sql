-- oldest-code: 12
-- What operators read across users, found by what it is about: transfers that are waited for, files that were sent twice, and
-- what operators did, by time, operator and act.
create index payments_transfers_open on payments (created_at, id) where method = 'transfer' and status = 'pending';
create index transfer_proofs_same on transfer_proofs (sha256);
create index audit_newest on audit (acted_at, id);
create index audit_by_actor on audit (actor, acted_at, id);
create index audit_by_act on audit (act, acted_at, id);
-- Refunds by instant are acts by instant.
drop index audit_refunds;
