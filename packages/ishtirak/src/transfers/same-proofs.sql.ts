// Files that were sent for several transfers: the money may have come once.
import { Type } from 'typebox'
import { type Queryable, statement } from '../database/database.js'
import { viewRows } from '../ledger/schemas.js'

export const SameProofSchema = Type.Object({
  n: Type.Integer({ description: 'Which one of `proofs`' }),
  user_id: Type.String(),
  payment_id: Type.String(),
  status: Type.String({ examples: ['paid'] }),
})

// Of the same content, also where that is erased by now.
const selectSameProofs = statement(
  'transfer_proofs.same',
  `select own.n, p.user_id, p.id as payment_id, p.status
     from transfer_proofs own
     join transfer_proofs other using (sha256)
     join payments p on p.user_id = other.user_id and p.id = other.payment_id
    where own.user_id = $1 and own.payment_id = $2 and other.payment_id <> $2
    order by own.n, other.uploaded_at, p.id limit 10`,
)

/** Other payments that one of these files was sent for too. */
export async function sameProofsOf(
  database: Queryable,
  of: { readonly userId: string; readonly paymentId: string },
) {
  return viewRows(SameProofSchema, await database.query(selectSameProofs, [of.userId, of.paymentId]))
}
