// Transfers that wait for an operator, as rows of the inbox.

const TO_DECIDE = `
  from transfers t join payments p on p.user_id = t.user_id and p.id = t.payment_id
 where t.state in ('open', 'ended') and (t.proof_at is not null or t.approvals <> '[]')
   and p.status <> 'review'`

export const APPROVED_ONCE = `
  select to_timestamp((t.approvals->-1->>'at')::bigint / 1000.0), p.id, t.user_id, p.id, p.amount,
    t.approvals->-1->>'by'
  ${TO_DECIDE} and t.approvals <> '[]'`

export const PROVED = `
  select t.proof_at, p.id, t.user_id, p.id, p.amount, null::text ${TO_DECIDE} and t.approvals = '[]'`

/** Most transfers are paid within days, and an operator finds them by the reference on the bank statement. */
const UNPROVED_FOR = '3 days'

export const OPEN = `
  select p.created_at, p.id, p.user_id, p.id, p.amount, t.reference
    from payments p join transfers t on t.user_id = p.user_id and t.payment_id = p.id
   where p.method = 'transfer' and p.status = 'pending' and p.expires_at > $1::timestamptz
     and t.state = 'open' and t.proof_at is null and t.approvals = '[]'
     and p.created_at <= $1::timestamptz - interval '${UNPROVED_FOR}'`

export const SAME_PROOF = `(
  select f.payment_id from transfer_proofs own join transfer_proofs f using (sha256)
   where own.user_id = w.user_id and own.payment_id = w.payment_id and f.payment_id <> w.payment_id
   order by f.uploaded_at, f.payment_id limit 1)`
