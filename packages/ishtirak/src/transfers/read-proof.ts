// A proof as an operator reads it, by API and in the console. Each reading is in the audit trail.
import { Type } from 'typebox'
import { type AuditDeps, recordAct } from '../acts/audit.sql.js'
import { BINARY_FILE, sendFile } from '../acts/files.js'
import { reading } from '../acts/reading.js'
import { BillingError } from '../core/error.js'
import type { Permission } from '../core/role.js'
import { requirePayment } from '../ledger/load.js'
import { addressOf } from '../pages/console-frame.js'
import { PROOFS_MAX } from './decide-transfer.js'
import { listProofs, proofContent } from './proof.sql.js'
import { PROOF_TYPES, type ProofType } from './proof-file.js'

const ENDINGS: Readonly<Record<ProofType, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'application/pdf': 'pdf',
}

const PROOF = {
  description: 'The file, as an attachment; each reading is in the audit trail',
  content: Object.fromEntries(PROOF_TYPES.map((type) => [type, { schema: BINARY_FILE }])),
}

const PLACES = Array.from({ length: PROOFS_MAX }, (_, index) => String(index + 1))

export const READ_PROOF: Permission = { name: 'payment.read_proof', roles: ['support', 'accountant'] }

export const downloadProof = reading<AuditDeps>()({
  ...READ_PROOF,
  path: '/payments/:payment_id/proofs/:n',
  operationId: 'downloadProof',
  summary: 'A picture or PDF that the user has uploaded for a transfer',
  params: Type.Object({
    payment_id: Type.String(),
    n: Type.Enum(PLACES, { default: '1', description: 'Which one of the transfer' }),
  }),
  answer: PROOF,
  command: { usage: 'payments proof <payment>', isFile: 'new' },
  linkedOn: ({ params }) => addressOf('', 'payments', params.payment_id),
  read: async (deps, { params, operator, reply, isLinked: isShown }) => {
    const { payment_id: paymentId } = params
    const n = Number(params.n)
    const { userId } = (await requirePayment(deps, paymentId)).payment
    const proof = (await listProofs(deps.database, { userId, paymentId })).find((one) => one.n === n)
    if (!proof || proof.erasedAt !== null)
      throw new BillingError('not_found', { extra: { payment_id: paymentId, proof: n } })
    const facts = { userId, paymentId, after: { proof: n } }
    await recordAct(deps, { operator, act: READ_PROOF.name, reason: null }, facts)
    return sendFile(reply.header('content-length', proof.bytes), {
      type: proof.type,
      name: `${paymentId}-${n}.${ENDINGS[proof.type]}`,
      content: proofContent(deps.database, { userId, paymentId }, proof),
      isShown,
    })
  },
})
