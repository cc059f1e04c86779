// Reads whether the mail with a payment's receipt was sent.
import { type Queryable, statement } from '../database/database.js'
import { flag, textOrNull } from '../database/rows.js'

// Uses the key mails_once.
const selectOutcome = statement(
  'return.receipt_mail',
  `select outcome, due_at is not null as is_due
     from mails where user_id = $1 and kind = 'receipt' and about = $2`,
)

/** `owed`: it has yet to be sent; null: there is none, or it could not be sent. */
export async function stateOfReceiptMail(
  database: Queryable,
  of: { readonly userId: string; readonly paymentId: string },
): Promise<'sent' | 'owed' | null> {
  const [row] = await database.query(selectOutcome, [of.userId, of.paymentId])
  if (!row) return null
  if (textOrNull(row, 'outcome') === 'sent') return 'sent'
  return flag(row, 'is_due') ? 'owed' : null
}
