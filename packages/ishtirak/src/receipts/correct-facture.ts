// A facture with false details is taken back by an avoir, and another one follows with those given now.
import { act, actTexts } from '../acts/act.js'
import { WhySchema } from '../acts/reason.js'
import { BillingError } from '../core/error.js'
import { factureInForce } from '../core/facture.js'
import { changeBy } from '../ledger/change-user.js'
import { loadPayment } from '../ledger/load.js'
import { avoirFor } from '../ledger/papers.js'
import { papersOfPayment } from '../ledger/papers.sql.js'
import { PAYMENT, type SubjectDeps } from '../ledger/subjects.js'
import { type FactureDeps, issueOwedTo, requireWhole } from './factures.js'
import { papersIn } from './papers-part.js'
import { receiptsWords } from './words.js'

export const correctFacture = act<FactureDeps & SubjectDeps>().decides({
  name: 'payment.correct_facture',
  roles: ['accountant'],
  on: PAYMENT,
  operationId: 'correctFacture',
  summary: 'Take a facture back by an avoir, and issue another one with the buyer’s details as they are now',
  description:
    'The sale stands, and no money moves. 409 where no facture is in force, where the payment is refunded ' +
    '(its avoir was issued with the refund), and `buyer_incomplete` where details are missing.',
  input: WhySchema,
  refuses: ['buyer_incomplete', 'already_refunded', 'payment_not_paid'],
  texts: actTexts(receiptsWords, 'correct_facture'),
  load: async (deps, { id }) => {
    const loaded = await loadPayment(deps, id)
    // After the user: a paper in between makes their version stale.
    const papers = await papersOfPayment(deps.database, loaded.payment)
    return { ...loaded, version: loaded.user.version, papers }
  },
  decide: ({ payment, user, papers }) => {
    const facture = factureInForce(papers)
    if (!facture || payment.status !== 'paid')
      throw new BillingError(payment.status === 'refunded' ? 'already_refunded' : 'conflict', {
        extra: { payment_status: payment.status },
      })
    requireWhole(user.buyer)
    return facture
  },
  save: async (deps, { by }, { facts, now }) => {
    const revision = { events: [], paper: avoirFor(deps, facts.papers, now, { owes: true }) }
    const act = { ...by, act: 'payment.correct_facture' }
    const saved = await changeBy(deps, act, facts, { revision, now })
    // A crash in between leaves it to the job.
    if (saved === 'saved') await issueOwedTo(deps, facts.userId, now)
    return saved
  },
  preview: ({ facts: { papers } }) => {
    const before = factureInForce(papers)?.number ?? null
    return { changes: [{ what: 'factureInForce', before, after: 'factureAnew' }], detail: null }
  },
  form: { isOffered: (file) => file.payment.status === 'paid' && factureInForce(papersIn(file)) !== null },
})
