// The query of money that went out again although its payment is approved, for the inbox.

// Uses the indexes bank_lines_decided and transfers_by_reference.
export const RETURNED = `
  select s.imported_at, l.id || ' ' || p.id, p.user_id, p.id, (-l.amount_centimes / 100)::int, l.day::text
    from bank_lines l
    join bank_statements s on s.id = l.statement_id
   cross join unnest(l.refs) ref
    join transfers t on t.reference = ref
    join payments p on p.user_id = t.user_id and p.id = t.payment_id
   where l.state = 'returned' and (p.status in ('paid', 'review') or t.approvals <> '[]')
     and p.status <> 'refunded'`
