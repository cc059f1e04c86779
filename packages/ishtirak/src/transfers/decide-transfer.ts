// Decisions about a transfer: money that a user sends without a page of a provider, and that counts once
// operators have seen it on an account. Pure.
import type { CheckoutReport } from '../core/checkout.js'
import { CLOCK_SKEW_MAX, DAY, type Instant } from '../core/instant.js'
import { ownReport, type Payment, priceAsked } from '../core/payment.js'
import { mayBeOnePerson } from '../core/role.js'
import type { Proof } from './proof.sql.js'
import type { Approval, Transfer } from './transfers.sql.js'

/** 3 files are enough: the slip, its back, and one more try. */
export const PROOFS_MAX = 3

/** A proof is taken until the transfer is decided. The first proof's instant decides whether time goes on. */
export function decideProof(
  transfer: Transfer,
  proofs: readonly Proof[],
  file: Pick<Proof, 'type' | 'bytes' | 'sha256'>,
  now: Instant,
) {
  // The same file was sent before.
  const known = proofs.find(({ sha256 }) => sha256 === file.sha256)
  if (known) return { kind: 'known', proof: known } as const
  const because = proofProblem(transfer, proofs)
  if (because) return { kind: 'refused', because } as const
  const proof = { ...file, n: proofs.length + 1, uploadedAt: now, erasedAt: null }
  return { kind: 'added', transfer: { ...transfer, proofAt: transfer.proofAt ?? now }, proof } as const
}

export function proofProblem(
  { state }: Pick<Transfer, 'state'>,
  proofs: readonly Proof[],
): 'decided' | 'too_many' | null {
  if (state === 'approved' || state === 'refused') return 'decided'
  return proofs.length >= PROOFS_MAX ? 'too_many' : null
}

export type TransferDecision =
  | { readonly kind: 'changed'; readonly transfer: Transfer }
  /** The transfer is already decided so; perhaps the process died before it settled the payment. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly because: 'decided' | 'same_operator' | 'differs' }

const DECIDED = { kind: 'refused', because: 'decided' } as const

const isSettled = ({ status }: Pick<Payment, 'status'>) => status === 'paid' || status === 'refunded'

/** Its money is booked, or about to be. A payment under review can be decided again. */
export function isBooked({ state }: Pick<Transfer, 'state'>, payment: Pick<Payment, 'status'>): boolean {
  return isSettled(payment) || (state === 'approved' && payment.status !== 'review')
}

/** Money counts whenever it comes, also after a refusal. `secondFrom`: two are needed; null: never. */
export function decideApproval(
  transfer: Transfer,
  payment: Pick<Payment, 'amountAsked' | 'price' | 'status'>,
  approval: Approval,
  secondFrom: number | null,
): TransferDecision {
  if (isSettled(payment)) return DECIDED
  const isApproved = transfer.state === 'approved'
  const isOwn = ({ by }: Approval) => mayBeOnePerson(by, approval.by)
  const agrees = ({ amount, instrument }: Approval) =>
    amount === approval.amount && instrument === approval.instrument
  const isRepeated = transfer.approvals.some(
    (one) => isOwn(one) && agrees(one) && one.receivedAt === approval.receivedAt,
  )
  if (isApproved && isRepeated) return { kind: 'unchanged' }
  if (isBooked(transfer, payment)) return DECIDED
  // Only the last figures of a person count, so that an operator can correct a mistake.
  const others = isApproved ? [] : transfer.approvals.filter((one) => !isOwn(one))
  if (!others.every(agrees)) return { kind: 'refused', because: 'differs' }
  const approvals = [...others, approval]
  const isEnough = approvals.length >= approvalsNeeded(payment, approval.amount, secondFrom)
  if (isRepeated && !isEnough) return { kind: 'refused', because: 'same_operator' }
  const waiting = isApproved ? 'open' : transfer.state
  return { kind: 'changed', transfer: { ...transfer, approvals, state: isEnough ? 'approved' : waiting } }
}

/** The larger of both amounts counts, so that a mistyped figure cannot avoid the second approval. */
export function approvalsNeeded(
  payment: Pick<Payment, 'price' | 'amountAsked'>,
  amount: number,
  secondFrom: number | null,
): 1 | 2 {
  return secondFrom !== null && Math.max(priceAsked(payment).amount, amount) >= secondFrom ? 2 : 1
}

/** A booked transfer cannot be refused. One under review can: the seller sends the money back. */
export function decideRefusal(
  transfer: Transfer,
  payment: Pick<Payment, 'status'>,
  why: string,
): TransferDecision {
  if (isBooked(transfer, payment)) return DECIDED
  if (transfer.state === 'refused') return payment.status === 'canceled' ? DECIDED : { kind: 'unchanged' }
  return { kind: 'changed', transfer: { ...transfer, state: 'refused', approvals: [], refusal: why } }
}

/** Some users pay before they order. Money that came more than 60 days before is for something else. */
const RECEIVED_BEFORE_DAYS = 60

/** Not in the future, and up to 60 days before the order, from the beginning of that day on. */
export function receivedWithin(
  { createdAt }: Pick<Payment, 'createdAt'>,
  now: Instant,
  startOfDay: (instant: Instant) => Instant,
): { readonly earliest: Instant; readonly latest: Instant } {
  return { earliest: startOfDay(createdAt - RECEIVED_BEFORE_DAYS * DAY), latest: now + CLOCK_SKEW_MAX }
}

/** A transfer as a checkout of its payment: paid as the last approval says, at its instant. */
export function reportOfTransfer(
  reference: string,
  { state, approvals, refusal, proofAt }: Transfer,
  payment: Payment,
  now: Instant,
): CheckoutReport {
  const approval = state === 'approved' ? approvals.at(-1) : undefined
  const isWaitedFor = state === 'open' && now < payment.expiresAt
  const unpaid = isWaitedFor ? 'pending' : state === 'refused' ? 'canceled' : 'expired'
  return ownReport(payment, reference, {
    status: approval ? 'paid' : unpaid,
    amount: approval?.amount ?? payment.price.amount,
    instrument: approval?.instrument ?? null,
    updatedAt: approval?.at ?? null,
    ...(approval && { paidAt: approval.at }),
    ...(approval && proofAt !== null && { provedAt: Math.min(proofAt, approval.at) }),
    ...(state === 'refused' && refusal !== null && { refusal }),
  })
}
