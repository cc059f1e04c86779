// Replaces the metadata of a payment. The platform can also send metadata when it orders.
import { userCall } from '../acts/user-call.js'
import { BillingError } from '../core/error.js'
import { request } from '../http/schemas.js'
import { metadataSchema, PlatformPaymentSchema } from '../ledger/schemas.js'
import { showPaymentOfUser } from './history.call.js'
import type { HistoryDeps } from './history.js'
import { saveMetadata } from './metadata.sql.js'

const MetadataRequestSchema = request('MetadataRequest', { metadata: metadataSchema })

export const setMetadata = userCall<HistoryDeps>()({
  name: 'setMetadata',
  operationId: 'setMetadata',
  summary: 'Replace the metadata of a payment',
  description:
    'All of it, whatever the status of the payment is; `{}` clears. Events that were written before keep ' +
    'what they told.',
  method: 'PUT',
  path: '/payments/:payment_id/metadata',
  byPlatform: true,
  input: MetadataRequestSchema,
  answer: PlatformPaymentSchema,
  refuses: ['malformed_json'],
  run: async (deps, call) => {
    const of = { userId: call.user.userId, paymentId: call.params.payment_id }
    if (!(await saveMetadata(deps.database, of, call.input.metadata))) throw new BillingError('not_found')
    return showPaymentOfUser(deps, call, of.paymentId)
  },
})
