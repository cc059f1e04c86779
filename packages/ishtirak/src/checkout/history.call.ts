// A user's payments, newest first.
import { type UserRequest, userCall } from '../acts/user-call.js'
import { findCurrentUser } from '../ledger/load.js'
import { findPayment } from '../ledger/payments.sql.js'
import {
  PaymentPageSchema,
  PaymentSchema,
  PaymentsQuerySchema,
  type PaymentView,
  PlatformPaymentPageSchema,
  PlatformPaymentSchema,
  viewPayment,
} from '../ledger/schemas.js'
import { type HistoryDeps, readHistory, refreshed } from './history.js'

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

/** The headers of the answer to a call that opens a payment. */
export const locationOf = ({ id }: PaymentView, api: string) => ({ location: `${api}/payments/${id}` })
