// A user's payments, newest first; one of them; and its metadata, which only the platform sees.
import { type UserRequest, userCall } from '../acts/user-call.js'
import { BillingError } from '../core/error.js'
import { request } from '../http/schemas.js'
import { findCurrentUser } from '../ledger/load.js'
import { findPayment } from '../ledger/payments.sql.js'
import {
  metadataSchema,
  PaymentPageSchema,
  PaymentSchema,
  PaymentsQuerySchema,
  type PaymentView,
  PlatformPaymentPageSchema,
  PlatformPaymentSchema,
  viewPayment,
} from '../ledger/schemas.js'
import { type HistoryDeps, readHistory, refreshed } from './history.js'
import { saveMetadata } from './metadata.sql.js'

export const payments = userCall<HistoryDeps>()({
  name: 'payments',
  operationId: 'listPayments',
  summary: 'Payment history',
  description: 'Newest first, in pages: nothing is skipped or repeated while payments arrive.',
  method: 'GET',
  path: '/payments',
  input: PaymentsQuerySchema,
  answer: PlatformPaymentPageSchema,
  forUser: { answer: PaymentPageSchema },
  refuses: ['validation_failed', 'invalid_cursor'],
  run: async (deps, { user: { userId }, api, requestId, input }) => {
    const { limit = 20, cursor = null, status = null } = input
    // Books due standing orders first, so that their payments are in the list.
    if (deps.rules.balanceMax > 0) await findCurrentUser(deps, userId)
    const page = await readHistory(deps, { userId, limit, cursor, status, requestId })
    const shown = { methods: deps.methods, api }
    return {
      data: page.payments.map((payment) => viewPayment(payment, page.now, shown)),
      has_more: page.nextCursor !== null,
      next_cursor: page.nextCursor,
    }
  },
})

export const payment = userCall<HistoryDeps>()({
  name: 'payment',
  operationId: 'getPayment',
  summary: 'One payment',
  method: 'GET',
  path: '/payments/:payment_id',
  answer: PlatformPaymentSchema,
  forUser: { answer: PaymentSchema },
  refuses: ['not_found'],
  run: (deps, request) => showPaymentOfUser(deps, request, request.params.payment_id),
})

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

/** Another user's payment is `not_found`, as if it did not exist. */
export async function showPaymentOfUser(
  deps: HistoryDeps,
  { user: { userId }, api, requestId }: Pick<UserRequest, 'user' | 'api' | 'requestId'>,
  paymentId: string,
): Promise<PaymentView> {
  const find = () => findPayment(deps.database, userId, paymentId)
  const { payment, now } = await refreshed(deps, find, requestId)
  return viewPayment(payment, now, { methods: deps.methods, api })
}

export const locationOf = ({ id }: PaymentView, api: string) => ({ location: `${api}/payments/${id}` })
