// Transfers that wait for an operator.
import type { InboxKind } from '../acts/inbox-kind.js'
import { APPROVED_ONCE, OPEN, PROVED, SAME_PROOF } from './inbox.sql.js'

const toDecide = {
  isMoney: true,
  nextActs: ['payment.approve'],
  other: { sql: SAME_PROOF, is: 'one that the same file was sent for', text: 'sameProof' },
} as const

export const TRANSFERS_WAITING: readonly InboxKind[] = [
  {
    name: 'transfer_approval',
    place: 3,
    urgency: 'now',
    select: APPROVED_ONCE,
    ...toDecide,
    detailIs: 'who approved it',
    isFor: ({ detail }, operator) => detail !== operator,
    detail: (_pages, { say }, name) => say('approvedBy', { name }),
  },
  { name: 'transfer_proof', place: 4, urgency: 'now', select: PROVED, ...toDecide },
  {
    name: 'transfer_open',
    place: 10,
    urgency: 'later',
    select: OPEN,
    isMailed: false,
    nextActs: ['payment.approve'],
    detailIs: 'its reference',
    detail: (_pages, { say }, reference) => say('referenceIs', { reference }),
  },
]
