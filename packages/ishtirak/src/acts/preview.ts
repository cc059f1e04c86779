// The changes of an act as the API shows them before the act is done.
import { Type } from 'typebox'
import { timestampOrNull, toTimestamp } from '../core/instant.js'
import { type DocumentSnapshot, totalOf } from '../core/receipt.js'
import type { Subscription } from '../core/subscription.js'
import { nullable, object, timestamp } from '../http/schemas.js'
import { type Change, change } from './act.js'

export const StandingSchema = object('Standing', {
  plan: Type.String({ description: 'The plan in effect now', examples: ['pro'] }),
  status: Type.Enum(['active', 'past_due', 'expired', 'canceled'], {
    description: 'past_due: up to 3 days past the end, access goes on; expired: later than that',
  }),
  current_period_end: nullable(timestamp),
})

const dinars = (description: string) => Type.Number({ description: `Dinars: ${description}` })
const ReceiptPreviewSchema = object('ReceiptPreview', {
  ht: dinars('without tax'),
  tva: dinars('the tax'),
  ttc: dinars('what came, tax included'),
  amount_asked: nullable(Type.Integer({ description: 'The amount asked for, if another was paid' })),
  stamp_duty: dinars('of cash alone, on top of `ttc`'),
  total: dinars('`ttc` and the duty'),
})
const SpanSchema = object('Span', { start: timestamp, end: timestamp })

const Side = Type.Union([
  Type.Null(),
  Type.String(),
  Type.Number(),
  StandingSchema,
  SpanSchema,
  ReceiptPreviewSchema,
])

const ChangeSchema = object('Change', {
  what: Type.String({ examples: ['access'] }),
  kind: Type.Enum(Object.keys(change) as Change['kind'][], {
    description:
      'Of `before` and `after`: dinars and counts are numbers, instants are timestamps, access, spans and ' +
      'receipts are objects, all others text',
  }),
  of: nullable(Type.String({ description: 'Which one of several: the id of a payment, a name' })),
  before: Side,
  after: Side,
})

export const PreviewSchema = object('Preview', {
  version: Type.Integer({ description: 'The version of the facts of this decision' }),
  changes: Type.Array(ChangeSchema, {
    description: 'Values that are equal before and after stay; the decision depends on them',
  }),
})

export function viewPreview(plan: { readonly version: number; readonly changes: readonly Change[] }) {
  const { version, changes } = plan
  const known = changes.filter(
    ({ kind, before, after }) => kind === 'receipt' || before !== null || after !== null,
  )
  const viewed = known.map((one) => ({
    ...one,
    before: viewSide(one, one.before),
    after: viewSide(one, one.after),
  }))
  return { version, changes: viewed }
}

function viewSide({ kind }: Change, value: Change['before']) {
  // `requested` is an internal status that the API does not have.
  if (kind === 'status' && value === 'requested') return 'pending'
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'number') return kind === 'instant' ? toTimestamp(value) : value
  if ('split' in value) return viewReceipt(value)
  if ('start' in value) return { start: toTimestamp(value.start), end: toTimestamp(value.end) }
  return viewStanding(value)
}

export function viewStanding({ plan, status, currentPeriodEnd }: Subscription) {
  return { plan: plan.id, status, current_period_end: timestampOrNull(currentPeriodEnd) }
}

/** The sums are in dinars. */
function viewReceipt(receipt: DocumentSnapshot) {
  const { split, asked = null, stampDutyCentimes } = receipt
  return {
    ...{ ht: split.netCentimes / 100, tva: split.taxCentimes / 100, ttc: split.totalCentimes / 100 },
    ...{ amount_asked: asked, stamp_duty: stampDutyCentimes / 100, total: totalOf(receipt) / 100 },
  }
}
