// Transfers as a capability: the method, acts, proofs, portal parts, the inbox and jobs.
import type { Capability } from '../acts/capability.js'
import type { BringsChecks } from '../acts/check.js'
import { HOUR } from '../core/instant.js'
import { readReference } from '../core/reference.js'
import type { BringsMethods } from '../ledger/method.js'
import { approve, type DecisionDeps, refuse } from './decide.js'
import { TRANSFERS_WAITING } from './inbox.js'
import { transferPart } from './payment-part.js'
import { transferPages } from './portal-part.js'
import { transferCalls } from './proof.call.js'
import { type EraseDeps, eraseOldProofs } from './proof.js'
import { downloadProof } from './read-proof.js'
import { type TransferConfig, transferChecks, transferSettings } from './settings.js'
import { createTransfer } from './transfer.js'
import type { TransferPagesDeps } from './transfer.route.js'
import { type TransferMailDeps, transferMails } from './transfer-mail.js'

/** Proofs of at most 8 MiB each. */
const ERASED_A_ROUND = 200

export const transfers: Capability<
  DecisionDeps & TransferMailDeps & EraseDeps & TransferPagesDeps,
  TransferConfig
> &
  BringsMethods<{ readonly transfers?: TransferConfig['transfers'] }> &
  BringsChecks<TransferConfig> = {
  name: 'transfers',
  settings: transferSettings,
  methods: ({ transfers: accounts }, world) => (accounts ? [createTransfer({ ...world, ...accounts })] : []),
  acts: [approve, refuse],
  readings: [downloadProof],
  inbox: TRANSFERS_WAITING,
  events: ['payment.requested', 'payment.proof_received', 'payment.refused'],
  readReference,
  checks: transferChecks,
  paymentParts: (deps) => [transferPart(deps)],
  calls: transferCalls,
  jobs: (deps) => [
    { name: 'erase-proofs', stage: 'tidy', everyMs: HOUR, run: () => eraseOldProofs(deps, ERASED_A_ROUND) },
  ],
  mails: transferMails,
  portal: transferPages,
}
