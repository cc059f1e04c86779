// What the operator's API can be asked, by the name of each operation: its address, its schemas, what it refuses. Its routes,
// the OpenAPI document and the commands of the CLI are made from it.
import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { ErrorCode } from '../core/error.js'
import { PROOF_TYPES } from '../core/transfer.js'
import {
  EventParamsSchema,
  EventsQuerySchema,
  EventsSchema,
  ResentSchema,
  RestartedSchema,
  SkippedSchema,
} from '../events/schemas.js'
import { problemResponses } from '../http/problem.js'
import * as approvals from './approval-schemas.js'
import * as codes from './code-schemas.js'
import { TakenAtDeskSchema } from './desk-schemas.js'
import { GrantRequestSchema } from './grant-schemas.js'
import * as schemas from './schemas.js'

export const BASE = '/api/v1/operator'

const READ = ['invalid_operator_key', 'not_found', 'validation_failed', 'database_unavailable'] as const
const ASKED = ['provider_rejected', 'provider_unavailable'] as const

/** The path below `BASE`, a sentence for readers, what is asked and answered, and the refusals beside those of all. */
function reads<Schema extends object, Answer>(
  path: string,
  summary: string,
  schema: Schema,
  answer: Answer,
  refusals: readonly ErrorCode[] = [],
) {
  const response = { 200: answer, ...problemResponses(...READ, ...refusals) }
  const described = { summary, security: [{ operator: [] }], tags: ['operator'], response }
  return { method: 'GET' as const, path, schema: { ...described, ...schema } }
}

/** Of those that change something. */
function acts<Schema extends object, Answer>(
  path: string,
  summary: string,
  schema: Schema,
  answer: Answer,
  refusals: readonly ErrorCode[] = [],
) {
  const refused = ['malformed_json', 'conflict', ...refusals] as const
  return { ...reads(path, summary, schema, answer, refused), method: 'POST' as const }
}

const payment = { params: schemas.PaymentParamsSchema }
const user = { params: schemas.OperatorUserParamsSchema }
const event = { params: EventParamsSchema }
const batch = { params: codes.BatchParamsSchema }
const why = { body: schemas.WhySchema }
const optionalWhy = { body: schemas.OptionalWhySchema }

/** A text to the reader, a stream to the route. */
const FILE = Type.Unsafe<Readable>({ type: 'string' })
const BINARY_FILE = Type.Unsafe<Readable>({ type: 'string', format: 'binary' })
const CSV = { description: 'RFC 4180, UTF-8', content: { 'text/csv': { schema: FILE } } }
const GZIP = { description: 'gzip; personal data', content: { 'application/gzip': { schema: BINARY_FILE } } }
const PROOF = {
  description: 'The file, as an attachment; each reading is in the audit trail',
  content: Object.fromEntries(PROOF_TYPES.map((type) => [type, { schema: BINARY_FILE }])),
}

export const OPERATIONS = {
  search: reads(
    '/search',
    'Users and payments by user id, e-mail, payment id, checkout id, transfer reference or receipt number',
    { querystring: schemas.SearchQuerySchema },
    schemas.FoundSchema,
  ),
  listAllPayments: reads(
    '/payments',
    'Payments of all users, newest first',
    { querystring: schemas.OperatorPaymentsQuerySchema },
    schemas.OperatorPaymentsSchema,
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
        'Books it at once. The same reference twice books once. 422 `wrong_amount` names the price, the stamp duty and the amount to be paid; 409 when another payment has the reference.',
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
  recheckPayment: acts(
    '/payments/:payment_id/recheck',
    'Ask the provider about a payment now',
    { ...payment, ...optionalWhy },
    schemas.PaymentFileSchema,
    ASKED,
  ),
  acceptPayment: acts(
    '/payments/:payment_id/accept',
    'Take a payment under review as it is',
    {
      ...payment,
      ...why,
      description:
        'The provider is asked once more. 409 when nothing is under review, or the provider does not have the money.',
    },
    schemas.PaymentFileSchema,
    [...ASKED, 'already_refunded'],
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
  ),
  previewRefund: reads(
    '/payments/:payment_id/refund',
    'What recording a refund would change, now; nothing is changed',
    { ...payment, description: 'The same decision as that of the refund. 409 when the payment is not paid.' },
    schemas.RefundPreviewSchema,
    ['conflict', 'already_refunded'],
  ),
  recordRefund: acts(
    '/payments/:payment_id/refund',
    'Record a refund that was made by hand at the provider; ends the period it bought',
    {
      ...payment,
      ...why,
      description:
        'It moves no money. The period it bought ends; later paid periods move up. 409 when the payment is not paid.',
    },
    schemas.PaymentFileSchema,
    ['already_refunded'],
  ),
  getUserFile: reads('/users/:user_id', 'Everything known of one user', user, schemas.UserFileSchema),
  grantDays: acts(
    '/users/:user_id/grant',
    'Grant days without a payment: the end moves by so many times 24 hours',
    {
      ...user,
      body: GrantRequestSchema,
      description:
        'Without paid time the days begin now. 409 when the user has or had another plan, or the operation granted another number of days.',
    },
    schemas.UserFileSchema,
    ['unknown_plan', 'plan_not_purchasable'],
  ),
  endAccess: acts(
    '/users/:user_id/end',
    'End a user’s access now (fraud); what was paid stays paid',
    { ...user, ...why },
    schemas.UserFileSchema,
  ),
  listReconciliations: reads(
    '/reconciliations',
    'The last comparisons with the provider, and what was found last',
    {},
    schemas.ReconciliationsSchema,
  ),
  startReconciliation: acts(
    '/reconciliations',
    'Compare the provider’s list with our books, and say what only one side has',
    {
      body: schemas.ReconcileRequestSchema,
      description:
        'Answers after the first round. While `finished_at` is null, continue it from `next_round_at` on, or let the service do so.',
    },
    schemas.ReconciliationSchema,
  ),
  continueReconciliation: {
    ...reads(
      '/reconciliations/:reconciliation_id/continue',
      'One more round of a comparison, if it is time for one',
      { params: schemas.ReconciliationParamsSchema },
      schemas.ReconciliationSchema,
    ),
    method: 'POST' as const,
  },
  exportPayments: reads(
    '/exports/payments',
    'The payments of a month, as CSV',
    { querystring: schemas.ExportQuerySchema },
    CSV,
  ),
  downloadBackup: reads('/backup', 'Everything in the database, as a file for `ishtirak restore`', {}, GZIP),
  listEvents: reads(
    '/events',
    'Events to the platform, newest first, and whether its address works',
    { querystring: EventsQuerySchema },
    EventsSchema,
  ),
  resendEvent: acts(
    '/events/:event_id/resend',
    'Deliver an event and all later ones of its user again, in order',
    { ...event, ...optionalWhy },
    ResentSchema,
  ),
  resendWaitingEvents: acts(
    '/events/resend-waiting',
    'Switch the address on again, and begin anew with all that waits',
    optionalWhy,
    RestartedSchema,
  ),
  skipEvent: acts(
    '/events/:event_id/skip',
    'Wait no longer for this event and those before it of its user',
    {
      ...event,
      ...why,
      description: 'For an event that its receiver will never take: the later ones of its user can go on.',
    },
    SkippedSchema,
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
  ),
}

for (const [operationId, { schema }] of Object.entries(OPERATIONS)) Object.assign(schema, { operationId })

/** How a route is registered: its address, and its schema. */
export function routeAt<Schema>({ path, schema }: { readonly path: string; readonly schema: Schema }) {
  return [`${BASE}${path}`, { schema }] as const
}
