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
import { type Settlements, saveSettlement } from '../ledger/settle.sql.js'
import type { SettlementChange } from '../ledger/settlement-change.js'
import { refusalBecause } from './approvals.js'
import { decideProof, proofProblem } from './decide-transfer.js'
import { eraseProofsBefore, listProofs, type Proof, saveProof, saveProofContent } from './proof.sql.js'
import { readProofFile } from './proof-file.js'
import type { TransferConfig } from './settings.js'
import { findTransfer, type OfPayment } from './transfers.sql.js'

export interface ProofDeps extends ChangeDeps {
  readonly database: Database
  readonly settlements: Settlements
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
    const { stored, proofs } = await loadProofs(deps, of)
    const decision = decideProof(stored.transfer, proofs, file, deps.clock.now())
    if (decision.kind === 'refused') throw refusalBecause(decision.because, stored)
    if (decision.kind === 'known') return decision.proof
    const { payment } = stored
    const loaded = await deps.settlements.load({ ...payment, paymentId: payment.id })
    if (!loaded) return 'stale'
    const keep = (change: SettlementChange) =>
      deps.database.transaction(async (transaction) => {
        // The user's row first, as every change locks it.
        const saved = await saveSettlement(transaction, change)
        if (saved !== 'saved') return saved
        if (!(await saveProof(transaction, stored, decision))) throw new Stale()
        await saveProofContent(transaction, of, decision.proof.n, content)
        return saved
      })
    const facts = { userId: payment.userId, ...loaded }
    const revision = { payment: loaded.payment, events: ['payment.proof_received'] as const }
    const attempt = {
      now: deps.clock.now(),
      save: (change: SettlementChange) => keep(change).catch(staleOrThrow),
    }
    const saved = await tryChange(deps, facts, attempt, () => ({ revision, result: decision.proof }))
    if (typeof saved === 'string') return 'stale'
    const about = { user_id: of.userId, payment_id: of.paymentId }
    deps.log.info({ ...about, n: saved.n, bytes: saved.bytes }, 'proof received')
    return saved
  })
}

/** Rolls the transaction back. */
class Stale extends Error {}

function staleOrThrow(error: unknown): 'stale' {
  if (error instanceof Stale) return 'stale'
  throw error
}

async function loadProofs({ database }: Pick<ProofDeps, 'database'>, of: OfPayment) {
  // The transfer is read first: a proof that comes between both reads makes the decision stale.
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
