// What the operator's API can be asked, by the name of each operation: its address, its schemas, what it
// refuses. Its routes, the OpenAPI document and the commands of the CLI are made from it.

import { acts, OPERATOR_API } from '../acts/operation.js'
import { TakenAtDeskSchema } from '../desk/desk-schemas.js'
import * as schemas from './schemas.js'

export const OPERATIONS = {
  recordPayment: acts(
    '/payments',
    'Record a payment that was made at the desk, in cash or by cheque',
    {
      body: TakenAtDeskSchema,
      description:
        'Books it at once. The same reference twice books once. 404 for a user that is not known, ' +
        'without `new_user`. 422 `wrong_amount` names the price, the stamp duty and the amount to be ' +
        'paid; 409 when another payment has the reference.',
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
}

for (const [operationId, { schema }] of Object.entries(OPERATIONS)) Object.assign(schema, { operationId })

/** How a route is registered: its address, and its schema. */
export function routeAt<Schema>({ path, schema }: { readonly path: string; readonly schema: Schema }) {
  return [`${OPERATOR_API}${path}`, { schema }] as const
}
