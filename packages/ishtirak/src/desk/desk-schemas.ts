// The shape of what an operator took at the desk.
import { Type } from 'typebox'
import { reason } from '../acts/reason.js'
import { LONGEST_TERM } from '../core/plan.js'
import { STARTS } from '../core/quote.js'
import { request } from '../http/schemas.js'
import { DESK_METHODS } from './desk.js'

export const TakenAtDeskSchema = request('TakenAtDesk', {
  new_user: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'The user may be one that the service has not seen; without it, 404 for those',
    }),
  ),
  name: Type.Optional(
    Type.String({ maxLength: 200, pattern: '^[^\\p{Cc}]+$', description: 'Of a new user' }),
  ),
  phone: Type.Optional(
    Type.String({ maxLength: 40, description: 'Of a new user; 409 where another has it, who is named' }),
  ),
  plan: Type.Optional(
    Type.String({ description: 'What was paid for; not with `top_up`', examples: ['pro'] }),
  ),
  top_up: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000_000,
      description: 'In place of a plan: whole dinars for the balance of the user',
      examples: [3_000],
    }),
  ),
  months: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LONGEST_TERM,
      description: 'The term, 1 if absent; not with `start: now`',
      examples: [12],
    }),
  ),
  start: Type.Optional(
    Type.Enum([...STARTS], {
      description: '`now`: a dearer plan for the time that is paid; `end` if absent',
    }),
  ),
  method: Type.Enum([...DESK_METHODS], { description: 'How it was paid' }),
  amount: Type.Optional(
    Type.Number({
      minimum: 0.01,
      maximum: 1_000_000_000,
      description:
        'What was taken, in dinars, with the stamp duty on cash. The preview tells it; to record it, it is ' +
        'required',
      examples: [2020],
    }),
  ),
  reference: Type.String({
    pattern: '^[^\\s\\u0000-\\u001f\\u007f-\\u009f]+( [^\\s\\u0000-\\u001f\\u007f-\\u009f]+)*$',
    maxLength: 80,
    description: 'The slip of the cash desk, or the number of the cheque: one payment has it',
    examples: ['2026/0042'],
  }),
  why: reason,
})
