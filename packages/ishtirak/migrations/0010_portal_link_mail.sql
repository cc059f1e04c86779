-- oldest-code: 7
-- A user who is not logged in asks by their e-mail address for a link into the portal.
create index users_by_email on users (lower(email)) where email is not null;

alter table mails drop constraint mails_kind_check;
alter table mails add constraint mails_kind_check check (
  kind in ('receipt', 'refunded', 'portal_link', 'expiring_7_days', 'expiring_3_days', 'expiring_1_day', 'past_due',
           'expired')
);
