// The shapes of what operators say of transfers.
import { Type } from 'typebox'
import { dayOrInstantSchema } from '../acts/day.js'
import { reason } from '../acts/reason.js'
import { INSTRUMENTS } from '../core/account.js'
import { request } from '../http/schemas.js'

/** In whole dinars. */
export const RECEIVED_AMOUNT_MAX = 2_147_483_647

/** What came, asked about or approved. */
const received = {
  amount: Type.Integer({
    minimum: 1,
    maximum: RECEIVED_AMOUNT_MAX,
    description: 'What came, in whole dinars',
    examples: [2000],
  }),
  received_at: dayOrInstantSchema('When it came to the account'),
  payment_method: Type.Optional(
    Type.Enum(Object.values(INSTRUMENTS), {
      description: 'The account it came to; may be left out where TRANSFER_FILE names one kind',
    }),
  ),
}

export const ApprovalSchema = request('Approval', { ...received, why: reason })

export const RefusalSchema = request('Refusal', {
  why: Type.String({
    ...reason,
    description: 'Goes into the audit trail, and the user reads it',
    examples: ['nothing came to our account under this reference'],
  }),
})
