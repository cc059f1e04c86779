// Shows an operator who decides on a transfer the proofs of the user, and the line of a bank statement that
// names its reference.
import { INSTRUMENTS } from '../core/account.js'
import type { Payment } from '../core/payment.js'
import { mayDo } from '../core/role.js'
import { inParts } from '../i18n/formats.js'
import { instrumentName } from '../i18n/messages.js'
import { addressOf, type ConsolePages, Facts, type View } from '../pages/console-frame.js'
import { type ApprovalDeps, loadTransfer } from './approvals.js'
import { SameProofs } from './payment-part.js'
import { listProofs, type Proof, sameProofsOf } from './proof.sql.js'
import { READ_PROOF } from './read-proof.js'
import { lineNaming, type StoredTransfer } from './transfers.sql.js'

type Pages = ConsolePages & ApprovalDeps

/** The evidence for a transfer. `why` is the reason that the form suggests; it is empty without evidence. */
export async function evidenceOf(pages: Pages, view: View, { payment, reference }: StoredTransfer) {
  const { say } = view
  const line = await lineNaming(pages.database, reference)
  const proofs = await listProofs(pages.database, ofPayment(payment))
  const proof = proofs.at(-1)
  const why = line
    ? say('whyLine', { day: view.day(line.day), text: line.text })
    : proof
      ? say('whyProof', { day: view.day(proof.uploadedAt) })
      : ''
  return { line, proofs, why: why.slice(0, 500) }
}

const ofPayment = ({ userId, id: paymentId }: Payment) => ({ userId, paymentId })

export async function reviewBeside(pages: Pages, view: View, id: string): Promise<JSX.Element> {
  const { say, session, locale } = view
  const { stored } = await loadTransfer(pages, id)
  const [{ line, proofs }, sameProofs] = await Promise.all([
    evidenceOf(pages, view, stored),
    sameProofsOf(pages.database, ofPayment(stored.payment)),
  ])
  const inWords = ({ account, day, amount, text }: NonNullable<typeof line>) =>
    inParts([instrumentName(INSTRUMENTS[account], locale), view.day(day), view.money(amount), text], locale)
  const shown = mayDo(session.operator, READ_PROOF) ? proofs.filter(({ erasedAt }) => !erasedAt) : []
  return (
    <>
      <Facts facts={[[say('lineMatch'), line ? inWords(line) : say('lineMatchNone')]]} />
      <SameProofs {...{ pages, view, sameProofs }} />
      {/* The newest first: a user sends another one because the one before it was not readable. */}
      {shown.toReversed().map((proof) => (
        <ProofShown
          {...{ view, proof }}
          path={`${addressOf(pages.base, 'payments', id)}/proofs/${proof.n}`}
        />
      ))}
    </>
  )
}

/** A browser that shows no PDF within a page, as on many phones, has the link. */
function ProofShown({ view, proof, path }: { view: View; proof: Proof; path: string }) {
  const name = view.say('proofOf', { day: view.moment(proof.uploadedAt) })
  return (
    <figure class="proof">
      <object data={path} type={proof.type} aria-label={name} />
      <figcaption>
        <a href={path} target="_blank" safe rel="noopener">
          {name}
        </a>
      </figcaption>
    </figure>
  )
}
