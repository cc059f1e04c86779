// What the operator's API can be asked, by the name of each operation: its address, its schemas, what it refuses. Its routes,
// the OpenAPI document and the commands of the CLI are made from it.

import { acts, LIMITED, PROOF, reads } from '../acts/operation.js'
import { WhySchema } from '../acts/reason.js'
import { TakenAtDeskSchema } from '../desk/desk-schemas.js'
import * as approvals from '../transfers/approval-schemas.js'
import { READINGS } from './read-operations.js'
import * as schemas from './schemas.js'

export const BASE = '/api/v1/operator'

const payment = { params: schemas.PaymentParamsSchema }
const user = { params: schemas.OperatorUserParamsSchema }
const why = { body: WhySchema }

export const OPERATIONS = {
  ...READINGS,
  listAllPayments: reads(
    '/payments',
    'Payments of all users, newest first',
    { querystring: schemas.OperatorPaymentsQuerySchema },
    schemas.OperatorPaymentsSchema,
    ['invalid_cursor'],
  ),
  getPaymentFile: reads(
    '/payments/:payment_id',
    'Everything known of one payment',
    payment,
    schemas.PaymentFileSchema,
  ),
  recordPayment: acts(
    '/payments',
    'Record a payment that was made at the desk, in cash or by cheque',
    {
      body: TakenAtDeskSchema,
      description:
        'Books it at once. The same reference twice books once. 404 for a user that is not known, without `new_user`. 422 `wrong_amount` names the price, the stamp duty and the amount to be paid; 409 when another payment has the reference.',
    },
    schemas.PaymentFileSchema,
    [
      'unknown_plan',
      'plan_not_purchasable',
      'unknown_term',
      'unknown_method',
      'wrong_amount',
      'prepaid_limit_reached',
      'already_refunded',
    ],
  ),
  approvePayment: acts(
    '/payments/:payment_id/approve',
    'Say that the money of a transfer has come',
    {
      ...payment,
      body: approvals.ApprovalSchema,
      description:
        'Books the payment, or sends it to review where the amount is another one. From `second_approval_from` of TRANSFER_FILE on a second operator says the same before anything is booked. 409 when it is decided already.',
    },
    schemas.PaymentFileSchema,
    ['second_operator_needed'],
  ),
  refusePayment: acts(
    '/payments/:payment_id/refuse',
    'Refuse a transfer, for a reason that the user reads',
    {
      ...payment,
      body: approvals.RefusalSchema,
      description: 'Money that comes later can still be approved. 409 when its money is booked.',
    },
    schemas.PaymentFileSchema,
  ),
  downloadProof: reads(
    '/payments/:payment_id/proofs/:n',
    'A picture or PDF that the user has uploaded for a transfer',
    { params: schemas.ProofParamsSchema },
    PROOF,
    LIMITED,
  ),
  keepPayment: acts(
    '/payments/:payment_id/keep',
    'Say that a second payment stays: it waits in the inbox no more',
    {
      ...payment,
      ...why,
      description:
        'Nothing else changes. 409 when the payment is no second one, is not paid or is kept already.',
    },
    schemas.PaymentFileSchema,
  ),
  getUserFile: reads('/users/:user_id', 'Everything known of one user', user, schemas.UserFileSchema),
}

for (const [operationId, { schema }] of Object.entries(OPERATIONS)) Object.assign(schema, { operationId })

/** How a route is registered: its address, and its schema. */
export function routeAt<Schema>({ path, schema }: { readonly path: string; readonly schema: Schema }) {
  return [`${BASE}${path}`, { schema }] as const
}
