-- oldest-code: 12
-- What an act was asked with, beside its reason: the same operation asks for the same.

alter table audit add column asked jsonb;
