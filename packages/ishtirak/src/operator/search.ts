// The operator's search: what a customer on the phone reads out, turned into users and payments.
import type { Payment } from '../core/payment.js'
import { readReceiptNumber } from '../core/receipt.js'
import type { Parts } from '../payments/parts.js'
import { type FoundUser, findPaymentsByWord, findUsersByWord } from './search.sql.js'

export interface Found {
  readonly users: readonly FoundUser[]
  readonly payments: readonly Payment[]
}

/** White space around the word comes from copying it. */
export async function search({ database }: Parts, typed: string): Promise<Found> {
  const word = typed.trim()
  const [users, payments] = await Promise.all([
    findUsersByWord(database, word),
    findPaymentsByWord(database, word, readReceiptNumber(word)),
  ])
  return { users, payments }
}
