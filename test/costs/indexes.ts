// A change writes each index of its row, and ids are long. An index whose statement is gone goes too.

/** One statement for each index. Others say it above themselves (`Uses the index mails_due.`). */
export const NEEDED_BY: readonly (readonly [index: string, statement: string])[] = `
audit_by_act=books.sums audit_by_actor=audit.trail_by_actor audit_by_id=operator.acts_on_user
audit_by_words=audit.trail_by_words audit_newest=audit.trail_all audit_of_payment=audit.trail_of_payment
audit_operations=audit.by_operation balance_entries_chain=balance.entries bank_lines_by_id=bank_lines.one
bank_lines_decided=bank_lines.set_aside bank_lines_named=bank_references.lines
bank_lines_open=bank_lines.open one_line_pays_a_payment=bank_references.payable
bank_lines_of_statement=bank_lines.of_statement bank_statements_by_id=bank_statements.one
bank_statements_newest=bank_statements.newest
month_closings_in_order=closed.last month_closings_of_month=closed.months
month_differences_once=closed.note_difference bulk_acts_newest=bulk.newest
bulk_targets_by_place=bulk.results code_batches_by_id=codes.find code_batches_newest=codes.batches
code_tries_of_user=code_tries.begin codes_by_hash=upgrades.request codes_of_batch=codes.batches
discrepancies_by_id=discrepancies.one discrepancies_newest=discrepancies.newest
discrepancies_once=reconciliations.save_step reconciliations_by_id=reconciliations.save_step
reconciliations_newest=reconciliations.list reconciliations_unfinished=reconciliations.last
drawer_days_once=drawer.count drawer_days_waiting=inbox.page event_endpoint_once=outbox.prune
grants_by_id=settlements.save grants_of_code=codes.uses inbox_known_once=inbox_known.note
mails_failed=inbox.page mails_once=mails.claim operator_sessions_by_end=operator_sessions.delete_over
operator_sessions_by_id=operator_sessions.delete operators_by_name=operators.update
operators_key_once=operators.by_key outbox_by_age=outbox.prune outbox_by_id=event_history.one
outbox_in_sequence=outbox.next owed_invoices_due=invoices.claim documents_by_issue=books.lines
documents_in_order=documents.of_payments payments_by_id=payments.by_id payments_by_paid_at=books.sums
payments_by_reference=settlements.load payments_due=checks.claim_due payments_in_review=inbox.page
payments_listed=operator.newest_listed payments_of_code=codes.uses
payments_of_user=payments.histories payments_one_open_per_user=users.with_open_payment
payments_reference_begins=operator_search.part payments_reference_ends=operator_search.part
payments_second=inbox.page payments_transfers_expired=bank_references.payable
payments_transfers_open=inbox.page payments_withdrawn=upgrades.load
portal_link_requests_by_id=mails.queue_links portal_sessions_by_id=portal_sessions.find_link
portal_sessions_by_session=portal_sessions.delete printed_documents_once=printed_documents.note
provider_events_once=operator.received document_series_once=books.sums
seals_in_order=seals.page seals_of_acts=seals.new seals_once=seals.new seal_heads_by_day=seals.save_day
documents_number_once=operator_search.payments restores_by_instant=settlements.save
transfer_proof_parts_in_order=transfer_proofs.part transfer_proofs_by_number=transfer_proofs.of_payment
transfer_proofs_differ=inbox.page transfer_proofs_same=inbox.page
transfer_proofs_to_erase=transfer_proofs.erase transfers_by_reference=transfers.by_reference
transfers_one_per_payment=transfers.of_payment transfers_to_decide=inbox.page usage_once=usage.consume_one
usage_operations_by_age=usage.forget_operations usage_operations_once=usage.consume_one
usage_refusals_by_age=usage_refusals.forget usage_refusals_once=usage.refuse
user_search_by_key=operator_search.users users_announce=announcements.due users_by_end=figures.ends
users_by_id=settlements.save users_changed=users.listed_changed users_by_phone=operator_search.users
users_deliver=outbox.claim
users_ended=figures.ends users_unpaid=users.listed_unpaid users_with_balance=users.listed_with_balance
`
  .trim()
  .split(/\s+/)
  .map((pair) => {
    const [index = '', statement = ''] = pair.split('=')
    return [index, statement]
  })

/** Those that no plan rides on, and what they keep once. */
export const KEPT_ONCE: Readonly<Record<string, string>> = {
  balance_entries_book_once: 'the entry that a payment must have',
  balance_entries_in_sequence: 'the place of an entry',
  bulk_acts_by_id: 'an act on many',
  bulk_targets_once: 'a target of an act on many',
  balance_entries_once: 'what a payment does to a balance',
  grants_one_trial: 'the trial of a user',
  job_leases_by_name: 'a job: the statement that claims a round says `on conflict`',
  operators_name_once: 'a name, in capitals or not: the statement that makes an operator says `on conflict`',
  owed_invoices_once: 'a user: the statements that owe an invoice say `on conflict`',
  proformas_by_number: 'a proforma of a user',
  seller_versions_by_content: 'a seller: there are few',
  proformas_number_once: 'a number of a series',
  proformas_once_a_day: 'the request of a day: the query that makes a proforma looks there first',
  operator_sessions_secret_once: 'the secret of a session',
  portal_sessions_by_link: 'the secret of a link',
  user_search_once: 'a word of a user: the trigger that writes them anew finds them by it',
  schema_migrations_pkey: 'a migration',
  unmatched_events_once: 'an event about nothing of ours: the statement that keeps it says `on conflict`',
}
