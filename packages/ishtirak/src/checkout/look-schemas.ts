// The shapes of a look: what the provider says of a payment now, and what an act would change.
import { Type } from 'typebox'
import { StandingSchema } from '../acts/preview.js'
import { nameSchemas, nullable } from '../http/schemas.js'
import { amountAsked } from '../ledger/schemas.js'

export const LookQuerySchema = Type.Object(
  {
    act: Type.Optional(
      Type.Enum(['recheck', 'accept'], { description: 'What would be done (default: recheck)' }),
    ),
  },
  { additionalProperties: false },
)

export const StatusChangeSchema = Type.Object({ before: Type.String(), after: Type.String() })

const dinars = (description: string) => Type.Number({ description: `Dinars: ${description}` })
const ReceiptPreviewSchema = Type.Object({
  ht: dinars('without tax'),
  tva: dinars('the tax'),
  ttc: dinars('what came, tax included'),
  amount_asked: amountAsked,
  stamp_duty: dinars('of cash alone, on top of `ttc`'),
  total: dinars('`ttc` and the duty'),
})
export const receiptOrNull = Type.Union([ReceiptPreviewSchema, Type.Null()], {
  description: 'What the receipt would say; null: nothing would be booked',
})

export const LookSchema = Type.Object({
  payment_id: Type.String(),
  user_id: Type.String(),
  answered: Type.Boolean({
    description: 'False: the provider does not answer, or there is no checkout to ask about',
  }),
  provider: Type.Union([
    Type.Object({
      status: Type.String(),
      amount: nullable(Type.Integer()),
      currency: nullable(Type.String()),
    }),
    Type.Null(),
  ]),
  payment_status: StatusChangeSchema,
  before: StandingSchema,
  after: StandingSchema,
  receipt: receiptOrNull,
})

nameSchemas({ StatusChange: StatusChangeSchema, ReceiptPreview: ReceiptPreviewSchema, Look: LookSchema })
