-- oldest-code: 12
-- For `operator.newest_listed`: a page of the operator's list of payments by status and method, also the last one, reads what it
-- shows. The expression is that of the statement.
create index payments_listed on payments (
  (case when method in ('card', 'transfer', 'cash', 'cheque') then method else 'card' end), status, created_at, id);

-- It was for the list of transfers alone.
drop index payments_without_page;
