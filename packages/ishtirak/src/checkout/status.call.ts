// A user's status now.
import { userCall } from '../acts/user-call.js'
import { BillingStatusSchema, viewStatus } from '../ledger/schemas.js'
import { readStatus, type StatusDeps } from './status.js'

export const status = userCall<StatusDeps>()({
  name: 'status',
  operationId: 'getStatus',
  summary: 'Get billing status',
  description: 'Computed from what was paid and the time of asking.',
  method: 'GET',
  path: '/status',
  answer: BillingStatusSchema,
  run: async (deps, { user, requestId }) => viewStatus(await readStatus(deps, user.userId, requestId)),
})
