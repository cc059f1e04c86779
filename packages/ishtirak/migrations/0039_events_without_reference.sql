-- oldest-code: 12
-- Events are written by the statement that has locked their user, and users are never deleted: what the constraint looked up for
-- each event was found by then.
alter table outbox drop constraint outbox_user_id_fkey;
