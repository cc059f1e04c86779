-- oldest-code: 12
-- Code from 0012 on saves the owed mail with the event; code before relies on the trigger, and would owe none without it.
drop trigger outbox_owes_mail on outbox;
drop function owe_mail();
