// What lines of bank statements are about to pay, as rows of the first cell, which has the lines.
import type { PayableTransfer } from '../core/bank-match.js'
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at, instant, json, rowOf, text } from '../database/rows.js'

export type ClaimedPayment = Pick<PayableTransfer, 'userId' | 'paymentId'>

export const isAmong = (payments: readonly ClaimedPayment[], { paymentId }: ClaimedPayment) =>
  payments.some((one) => one.paymentId === paymentId)

const selecting = (name: string, which: string) =>
  statement(
    `bank_claims.${name}`,
    `select id as line_id, claimed_for, claimed_at from bank_lines
      where ${which} and state = 'open' and claimed_for is not null`,
  )
const selectOfLine = selecting('of_line', 'id = $1')
const selectOfStatement = selecting(
  'of_statement',
  'id in (select unnest(line_ids) from bank_statements where id = $1)',
)
const parseClaim = rowOf({
  lineId: text,
  claimedFor: json<readonly (readonly [string, string])[]>,
  claimedAt: instant,
})

export interface LineClaim {
  readonly lineId: string
  readonly payments: readonly ClaimedPayment[]
  readonly claimedAt: Instant
}

export type ClaimedLines = { readonly lineId: string } | { readonly statementId: string }

/** Of those lines that are claimed and not decided. */
export async function claimsOf(database: Queryable, of: ClaimedLines): Promise<readonly LineClaim[]> {
  const rows =
    'lineId' in of
      ? await database.query(selectOfLine, [of.lineId])
      : await database.query(selectOfStatement, [of.statementId])
  return rows.map(parseClaim).map(({ lineId, claimedFor, claimedAt }) => {
    return { lineId, claimedAt, payments: claimedFor.map(([userId, paymentId]) => ({ userId, paymentId })) }
  })
}

const inPairs = (payments: readonly ClaimedPayment[]) =>
  JSON.stringify(payments.map(({ userId, paymentId }) => [userId, paymentId]))

const update = statement(
  'bank_claims.claim',
  `update bank_lines
      set claimed_for = $2::jsonb, claimed_at = $3::timestamptz,
          payment_ids = array(select one from unnest(payment_ids) one where one <> all ($4::text[]))
    where id = $1 and state = 'open' and claimed_for is not distinct from $5::jsonb
   returning id`,
)

/**
 * Puts a claim for `payments` (null: none) in place of the one that was read, `instead` of which it stands.
 * The line's `payment_ids` lose those that only the earlier claim has. False: the line was claimed anew or
 * decided in the meantime.
 */
export async function writeClaim(
  database: Queryable,
  lineId: string,
  of: {
    readonly payments: readonly ClaimedPayment[] | null
    readonly instead: readonly ClaimedPayment[] | null
    readonly now: Instant
  },
): Promise<boolean> {
  const { payments, instead, now } = of
  const others = (instead ?? []).filter((one) => !isAmong(payments ?? [], one))
  const claimed = payments ? [inPairs(payments), at(now)] : [null, null]
  const gone = others.map(({ paymentId }) => paymentId)
  const values = [lineId, ...claimed, gone, instead && inPairs(instead)]
  return (await database.query(update, values)).length > 0
}
