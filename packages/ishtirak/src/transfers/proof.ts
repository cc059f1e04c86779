// Takes proofs: files by which a user shows a transfer, until it is decided.
import { hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { BillingError } from '../core/error.js'
import { DAY } from '../core/instant.js'
import { type Database, untilFresh } from '../database/database.js'
import type { Uploads } from '../http/upload.js'
import { type ChangeDeps, tryChange } from '../ledger/change-user.js'
import type { CommonParts } from '../ledger/parts.js'
import { findPayment } from '../ledger/payments.sql.js'
import { saveSettlement } from '../ledger/settle.sql.js'
import type { SettlementChange } from '../ledger/settlement-change.js'
import { findUser } from '../ledger/users.sql.js'
import { refusalBecause } from './approvals.js'
import { decideProof, proofProblem } from './decide-transfer.js'
import { eraseProofsBefore, listProofs, type Proof, saveProof } from './proof.sql.js'
import { readProofFile } from './proof-file.js'
import type { TransferConfig } from './settings.js'
import { findTransfer, type OfPayment } from './transfers.sql.js'

export interface ProofDeps extends ChangeDeps {
  readonly database: Database
  readonly uploads: Uploads
}

/**
 * `body` is read once it is known that a file is taken. Throws `not_found`, `conflict` when the payment is no
 * transfer or is decided, `too_many_proofs`, `payload_too_large`, `file_not_accepted`.
 */
export async function receiveProof(deps: ProofDeps, of: OfPayment, body: Readable): Promise<Proof> {
  const { stored, proofs } = await loadProofs(deps, of)
  // The same file may come again when there are three. Only its content can tell.
  if (proofProblem(stored.transfer, proofs) === 'decided') throw refusalBecause('decided', stored)
  return deps.uploads.receive(of.userId, body, (file) => uploadProof(deps, of, file))
}

/** Stores a file that was received whole. Throws the same. */
export async function uploadProof(deps: ProofDeps, of: OfPayment, sent: Buffer): Promise<Proof> {
  const { type, length } = readProofFile(sent)
  const content = sent.subarray(0, length)
  const file = { type, bytes: length, sha256: hash('sha256', content) }
  return untilFresh('proof', async () => {
    // The user is read first: a decision or another proof after this makes their version stale.
    const user = await findUser(deps.database, of.userId)
    const { stored, proofs } = await loadProofs(deps, of)
    const now = deps.clock.now()
    const decision = decideProof(stored.transfer, proofs, file, now)
    if (decision.kind === 'refused') throw refusalBecause(decision.because, stored)
    if (decision.kind === 'known') return decision.proof
    const save = (change: SettlementChange) =>
      deps.database.transaction(async (transaction) => {
        // The user's row first, as every change locks it.
        const saved = await saveSettlement(transaction, change)
        if (saved === 'saved') await saveProof(transaction, of, decision, content)
        return saved
      })
    const { payment } = stored
    const revision = { payment, events: ['payment.proof_received'] as const }
    const facts = { userId: of.userId, user, payment }
    const saved = await tryChange(deps, facts, { now, save }, () => ({ revision, result: decision.proof }))
    if (typeof saved === 'string') return 'stale'
    const about = { user_id: of.userId, payment_id: of.paymentId }
    deps.log.info({ ...about, n: saved.n, bytes: saved.bytes }, 'proof received')
    return saved
  })
}

async function loadProofs({ database }: Pick<ProofDeps, 'database'>, of: OfPayment) {
  const stored = await findTransfer(database, of)
  if (stored) return { stored, proofs: await listProofs(database, of) }
  const payment = await findPayment(database, of.userId, of.paymentId)
  if (!payment) throw new BillingError('not_found', { extra: { payment_id: of.paymentId } })
  throw new BillingError('conflict', { extra: { payment_status: payment.status } })
}

export type EraseDeps = Pick<CommonParts, 'database' | 'clock'> & Pick<TransferConfig, 'proofDays'>

export function eraseOldProofs({ database, clock, proofDays }: EraseDeps, limit: number): Promise<number> {
  const now = clock.now()
  return eraseProofsBefore(database, { before: now - proofDays * DAY, now, limit })
}
