// What the operator's API can be asked, by the name of each operation: its address, its schemas, what it refuses. Its routes,
// the OpenAPI document and the commands of the CLI are made from it.

import { SESSION_OPERATIONS } from '../access/session-operations.js'
import { acts, GZIP, LIMITED, reads } from '../acts/operation.js'
import { WhySchema } from '../acts/reason.js'
import * as codes from '../codes/code-schemas.js'
import { COMPARISON_OPERATIONS } from '../compare/reconcile-operations.js'
import { TakenAtDeskSchema } from '../desk/desk-schemas.js'
import { READINGS } from './read-operations.js'
import * as schemas from './schemas.js'

export const BASE = '/api/v1/operator'

const batch = { params: codes.BatchParamsSchema }
const why = { body: WhySchema }

export const OPERATIONS = {
  ...READINGS,
  ...SESSION_OPERATIONS,
  ...COMPARISON_OPERATIONS,
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
  downloadBackup: reads(
    '/backup',
    'Everything in the database, as a file for `ishtirak restore`',
    {},
    GZIP,
    LIMITED,
  ),
  createCodes: acts(
    '/codes',
    'Make a batch of codes; they are shown this once',
    {
      body: codes.NewCodesSchema,
      description:
        'Only keyed hashes of the codes are stored, so no later call can show them. 404 where CODE_KEYS is not set.',
    },
    codes.MadeCodesSchema,
    ['unknown_plan', 'plan_not_purchasable', 'unknown_term'],
  ),
  listCodeBatches: reads(
    '/codes',
    'Batches of codes, newest first, with what is used and left',
    { querystring: codes.CodeBatchesQuerySchema },
    codes.CodeBatchesSchema,
  ),
  getCodeBatch: reads(
    '/codes/:batch_id',
    'One batch of codes, with what is used and left',
    batch,
    codes.CodeBatchSchema,
  ),
  revokeCodes: acts(
    '/codes/:batch_id/revoke',
    'Make all codes of a batch invalid; what was bought with one stays',
    {
      ...batch,
      ...why,
      description:
        'An open checkout with one of them can still be paid. 409 when the batch is revoked already.',
    },
    codes.CodeBatchSchema,
    ['already_revoked'],
  ),
}

for (const [operationId, { schema }] of Object.entries(OPERATIONS)) Object.assign(schema, { operationId })

/** How a route is registered: its address, and its schema. */
export function routeAt<Schema>({ path, schema }: { readonly path: string; readonly schema: Schema }) {
  return [`${BASE}${path}`, { schema }] as const
}
