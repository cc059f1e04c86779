// The schemas of batches of codes.
import { type TNumberOptions, Type } from 'typebox'
import { reason } from '../acts/act.js'
import { dayOrInstantSchema } from '../acts/day.js'
import { CODE_KINDS, CODES_MAX } from '../core/code.js'
import { nullable, object, request, timestamp } from '../http/schemas.js'

const kind = Type.Enum([...CODE_KINDS], {
  description: '`months` gives time without a payment; `percent` and `amount` take something off a purchase',
})

/** The database's column is an `int4`. */
const COUNT_MAX = 1_000_000_000

const upTo = (maximum: number, description: string, more: TNumberOptions = {}) =>
  Type.Integer({ minimum: 1, maximum, description, ...more })

export const NewCodesSchema = request('NewCodes', {
  kind,
  plan: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'The plan that they are for; required for `months`. Else absent: any',
      examples: ['pro'],
    }),
  ),
  months: Type.Optional(
    upTo(36, 'For `months`: how many months each gives. Else the term that they are for; absent: any'),
  ),
  percent: Type.Optional(upTo(100, 'Taken off the price, in percent', { examples: [20] })),
  amount: Type.Optional(upTo(COUNT_MAX, 'Taken off the price, in whole dinars', { examples: [500] })),
  count: upTo(CODES_MAX, 'How many codes'),
  uses: Type.Optional(upTo(COUNT_MAX, 'How often each can be used (default: 1)', { default: 1 })),
  uses_per_user: Type.Optional(upTo(COUNT_MAX, 'How often by one user (default: 1)', { default: 1 })),
  from: Type.Optional(dayOrInstantSchema('The first instant at which they count')),
  until: Type.Optional(dayOrInstantSchema('The first instant at which they no longer count')),
  why: reason,
})

export const MadeCodesSchema = object('MadeCodes', {
  batch_id: Type.String({ examples: ['bat_01jd7k3v9m4w8x2z5c6b7n8q9r'] }),
  codes: Type.Array(Type.String({ examples: ['7K2M-9QXA-D3VF-0T8R'] }), {
    description: 'Never shown again: only keyed hashes of them are stored',
  }),
  free: Type.Optional(
    Type.Array(Type.String({ examples: ['pro 1'] }), {
      description: 'Plan and months for which a code leaves nothing to pay: it is redeemed',
    }),
  ),
})

const maybe = nullable(Type.Integer())
export const CodeBatchSchema = object('CodeBatch', {
  batch_id: Type.String(),
  kind,
  plan: nullable(Type.String()),
  months: maybe,
  percent: maybe,
  amount: maybe,
  count: Type.Integer(),
  uses: Type.Integer({ description: 'How often each code can be used' }),
  uses_per_user: Type.Integer({ description: 'How often a user can use each code' }),
  from: nullable(timestamp),
  until: nullable(timestamp),
  used: Type.Integer({
    description: 'Uses of all its codes: redeemed, paid, or reserved by an open checkout',
  }),
  left: Type.Integer({ description: 'Uses of all its codes that are left, if it counts at all' }),
  created_at: timestamp,
  created_by: Type.String(),
  why: Type.String(),
  revoked_at: nullable(timestamp),
  revoked_by: nullable(Type.String()),
})

export const CodeUseSchema = object('CodeUse', {
  used_at: timestamp,
  use_id: Type.String({ description: 'The id of the payment, or of the redemption if it is `redeemed`' }),
  user_id: Type.String(),
  state: Type.Enum(['redeemed', 'open', 'paid', 'refunded'], {
    description: '`open`: held by a payment that is not settled',
  }),
  plan: nullable(Type.String()),
  months: maybe,
  amount: Type.Integer({ description: 'The amount to pay, or paid, in whole dinars' }),
  discount: Type.Integer({ description: 'The discount in whole dinars' }),
  period_start: nullable(timestamp),
  period_end: nullable(timestamp),
})

export const BatchParamsSchema = Type.Object({ batch_id: Type.String({ maxLength: 100 }) })
