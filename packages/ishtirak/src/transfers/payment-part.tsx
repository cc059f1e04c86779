// The part of a payment's file that transfers add: the operators' decisions, and the proofs of the user.
import { statusKey } from '../acts/changes.js'
import type { PaymentPart } from '../acts/file-parts.js'
import { mayDo } from '../core/role.js'
import { nullable, viewAs } from '../http/schemas.js'
import type { SubjectPayment } from '../ledger/subjects.js'
import { addressOf, type ConsolePages, type View } from '../pages/console-frame.js'
import { Facts, UserCell } from '../pages/console-parts.js'
import { Card } from '../pages/parts.js'
import { type ApprovalDeps, secondFrom } from './approvals.js'
import { approvalsNeeded } from './decide-transfer.js'
import { listProofs, type Proof, sameProofsOf } from './proof.sql.js'
import { READ_PROOF } from './read-proof.js'
import { describeDecided, ProofSchema, TransferStateSchema } from './transfer-state.js'
import { findTransfer, type Transfer } from './transfers.sql.js'

/** Null: the provider says whether the payment is paid. */
type TransferPart = {
  readonly transfer: Transfer
  readonly proofs: readonly Proof[]
  readonly sameProofs: Awaited<ReturnType<typeof sameProofsOf>>
} | null

const KEY = 'transfer'

/** The transfer of the payment; null: it is another payment, or no user has seen its reference yet. */
export function transferIn({ parts, payment }: Pick<SubjectPayment, 'parts' | 'payment'>): Transfer | null {
  // `load` below has loaded it.
  return payment.checkoutId === null ? null : ((parts[KEY] as TransferPart)?.transfer ?? null)
}

export function transferPart(deps: Pick<ApprovalDeps, 'database' | 'transfers'>): PaymentPart<TransferPart> {
  const { database } = deps
  return {
    key: KEY,
    schema: nullable(TransferStateSchema, {
      description: 'The operators’ decisions; null if a provider confirms payments',
    }),
    load: async ({ userId, id: paymentId }) => {
      const of = { userId, paymentId }
      const [stored, proofs, sameProofs] = await Promise.all([
        findTransfer(database, of),
        listProofs(database, of),
        sameProofsOf(database, of),
      ])
      return stored && { transfer: stored.transfer, proofs, sameProofs }
    },
    view: (part, payment) => {
      if (!part) return null
      const { transfer, proofs, sameProofs } = part
      const amount = transfer.approvals.at(-1)?.amount ?? payment.price.amount
      return {
        ...describeDecided(transfer),
        approvals_needed: approvalsNeeded(payment, amount, secondFrom(deps)),
        proofs: proofs.map((proof) => viewAs(ProofSchema, proof)),
        same_proofs: sameProofs,
      }
    },
    card: (pages, view, part, payment) =>
      part && <Proofs {...{ pages, view, part }} paymentId={payment.id} />,
    facts: (pages, { say, locale }, part, { expiresAt }) => [
      [
        say('referenceUntil'),
        part?.transfer.state === 'open' && expiresAt !== null
          ? pages.formats.moment(expiresAt, locale)
          : null,
      ],
    ],
    whyNotBooked: ({ say }, part) =>
      part && part.transfer.state !== 'approved' && part.transfer.approvals.length > 0
        ? say('waitsForSecond')
        : null,
  }
}

/** `PDF`, `JPEG` or `PNG`. */
const formatOf = ({ type }: Proof) => type.slice(type.indexOf('/') + 1).toUpperCase()

/** The user's proofs. Each reading is in the audit trail. */
function Proofs(of: { pages: ConsolePages; view: View; part: NonNullable<TransferPart>; paymentId: string }) {
  const { pages, view, part, paymentId } = of
  if (part.proofs.length === 0) return null
  const path = `${addressOf(pages.base, 'payments', paymentId)}/proofs`
  const may = mayDo(view.session.operator, READ_PROOF)
  return (
    <Card id="proofs" title={view.say('proofs')}>
      <Facts
        facts={part.proofs.map((proof) => [
          view.moment(proof.uploadedAt),
          may && proof.erasedAt === null
            ? { href: `${path}/${proof.n}`, text: formatOf(proof) }
            : formatOf(proof),
        ])}
      />
      <SameProofs {...{ pages, view }} sameProofs={part.sameProofs} />
    </Card>
  )
}

/** A slip that stands for two payments: the money may have come once. */
export function SameProofs(
  of: { pages: ConsolePages; view: View } & Pick<NonNullable<TransferPart>, 'sameProofs'>,
) {
  const { pages, view, sameProofs } = of
  if (sameProofs.length === 0) return null
  const { say } = view
  return (
    <div role="alert">
      <p class="over" safe>
        {say('sameProofText')}
      </p>
      <ul class="dots">
        {sameProofs.map(({ payment_id, user_id, status }) => (
          <li>
            <a href={addressOf(pages.base, 'payments', payment_id)}>
              <bdi safe>{payment_id}</bdi>
            </a>{' '}
            <span safe>{`· ${say(statusKey(status))} ·`}</span>{' '}
            <UserCell {...{ pages, user: { userId: user_id } }} />
          </li>
        ))}
      </ul>
    </div>
  )
}
