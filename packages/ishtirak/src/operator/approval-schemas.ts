// The shapes of what operators say of transfers.
import { Type } from 'typebox'
import { INSTRUMENTS } from '../core/account.js'
import { nameSchemas } from '../http/schemas.js'
import { dayOrInstant, WhySchema } from './schemas.js'

export const ApprovalSchema = Type.Object(
  {
    amount: Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'What came, in whole dinars',
      examples: [2000],
    }),
    received_at: dayOrInstant('When it came to the account'),
    payment_method: Type.Optional(
      Type.Enum(Object.values(INSTRUMENTS), {
        description: 'The account it came to; may be left out where TRANSFER_FILE names one kind',
      }),
    ),
    ...WhySchema.properties,
  },
  { additionalProperties: false },
)

export const RefusalSchema = Type.Object(
  {
    why: Type.String({
      ...WhySchema.properties.why,
      description: 'Goes into the audit trail, and the user reads it',
      examples: ['nothing came to our account under this reference'],
    }),
  },
  { additionalProperties: false },
)

nameSchemas({ Approval: ApprovalSchema, Refusal: RefusalSchema })
