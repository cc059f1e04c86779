// A proof as an operator reads it, by API and in the console. Each reading is in the audit trail.
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { type AuditDeps, recordAct } from '../acts/audit.sql.js'
import { BINARY_FILE } from '../acts/descriptions.js'
import { reading } from '../acts/reading.js'
import { sendFile } from '../acts/send-file.js'
import { BillingError } from '../core/error.js'
import { type Operator, type Permission, requireRole } from '../core/role.js'
import type { App } from '../http/app.js'
import { requirePayment } from '../ledger/load.js'
import { addressOf, type ConsolePages } from '../pages/console-frame.js'
import { fromThisSite } from '../pages/console-view.js'
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
  read: (deps, { params: { payment_id: paymentId, n }, operator, reply }) =>
    sendProof(deps, reply, { paymentId, n: Number(n), operator, isShown: false }),
})

/** The console's page of a proof. */
export function proofPage(app: App, pages: ConsolePages & AuditDeps): void {
  app.get<{ Params: { payment_id: string; n: string } }>(
    '/console/payments/:payment_id/proofs/:n',
    fromThisSite(pages, (of: { payment_id: string }) => addressOf('', 'payments', of.payment_id)),
    (request, reply) => {
      const { payment_id: paymentId, n } = request.params
      const { operator } = pages.operatorsHere.of(request)
      return sendProof(pages, reply, { paymentId, n: Number(n), operator, isShown: true })
    },
  )
}

/** Throws `not_found`, also where it was erased. */
async function sendProof(
  deps: AuditDeps,
  reply: FastifyReply,
  of: {
    readonly paymentId: string
    readonly n: number
    readonly operator: Operator
    readonly isShown: boolean
  },
): Promise<FastifyReply> {
  const { paymentId, n, operator, isShown } = of
  requireRole(operator, READ_PROOF)
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
}
