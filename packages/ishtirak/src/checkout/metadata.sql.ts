// Replaces the metadata of a payment. No decision reads it, so the version of the user stays.
import type { Metadata } from '../core/payment.js'
import { type Queryable, statement } from '../database/database.js'

const update = statement(
  'payments.set_metadata',
  `update payments set metadata = nullif($3::jsonb, '{}') where user_id = $1 and id = $2 returning id`,
)

export async function saveMetadata(
  database: Queryable,
  of: { readonly userId: string; readonly paymentId: string },
  metadata: Metadata,
): Promise<boolean> {
  const rows = await database.query(update, [of.userId, of.paymentId, JSON.stringify(metadata)])
  return rows.length > 0
}
