// The one act that comes next for what waits in the inbox.
import type { InboxKind, InboxRow } from './inbox.sql.js'

/** As the audit trail names acts; `user.show` changes nothing. */
export const NEXT_ACTS = [
  'payment.accept',
  'payment.approve',
  'payment.refund',
  'payment.recheck',
  'reconciliation.start',
  'event.resend',
  'event.resend_waiting',
  'user.show',
] as const
type NextAct = (typeof NEXT_ACTS)[number]

const NEXT: Readonly<Record<InboxKind, (row: InboxRow) => NextAct>> = {
  events_off: () => 'event.resend_waiting',
  payment_review: () => 'payment.accept',
  transfer_approval: () => 'payment.approve',
  transfer_proof: () => 'payment.approve',
  second_payment: () => 'payment.refund',
  finding: ({ paymentId }) => (paymentId === null ? 'reconciliation.start' : 'payment.recheck'),
  event_stuck: () => 'event.resend',
  mail_failed: () => 'user.show',
  transfer_open: () => 'payment.approve',
}

export type InboxEntry = ReturnType<typeof withNextAct>

export function withNextAct(row: InboxRow) {
  return { ...row, nextAct: NEXT[row.kind](row) }
}
