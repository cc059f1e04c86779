-- oldest-code: 7
-- Code that knows this migration saves the owed mail with the event. The trigger stays for the code before it; both write
-- the same key, so a mail is owed once. 0013 drops the trigger.
comment on function owe_mail() is 'for code that knows no migration after 11; dropped by 0013';
