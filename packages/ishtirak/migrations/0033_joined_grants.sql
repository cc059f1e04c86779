-- oldest-code: 12
-- Days granted behind granted days of the same plan are one period of the user, named by the first grant; `part_of` of the others
-- names it, so that they move with it. The role is what the bound of support counts by. Code before writes neither: its grants
-- have periods of their own and count as those of support, and its refund moves the first grant of a period alone.
alter table grants add column part_of text, add column granted_role text;
