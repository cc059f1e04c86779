-- oldest-code: 12
-- An operator has judged what a comparison found: closed, a finding waits no more, and comes back only where the provider says something
-- else. Code before shows it all the same, and does not open one that changes.
alter table comparison_findings
  add column closed_at timestamptz,
  add column closed_by text,
  add column closed_because text,
  add constraint comparison_findings_closed_for_a_reason check (
    (closed_at is null) = (closed_by is null) and (closed_at is null) = (closed_because is null)
  );
