// The shapes of the search.

import { Type } from 'typebox'
import { StandingSchema } from '../acts/preview.js'
import { nameSchemas, nullable, object, query } from '../http/schemas.js'
import { SEARCHED_MAX } from '../pages/console-frame.js'
import { BrokenPaymentSchema, OperatorPaymentSchema } from './schemas.js'

export const SearchQuerySchema = query({
  q: Type.String({
    // Something else than white space.
    pattern: '\\S',
    maxLength: SEARCHED_MAX,
    description:
      'A user’s id or e-mail; the beginning of an e-mail or of any word of their or their company’s name; ' +
      'a company’s NIF or RC; a payment’s id, ' +
      'the provider’s checkout id, a reference or the number of a document; the last digits of an amount ' +
      'and a day',
    examples: ['amina@example.dz', '2026-000042', '2900 2026-03-14'],
  }),
})

const exact = Type.Boolean({ description: 'It is what was asked for, not one of those that begin or end so' })
const FoundUserSchema = object('FoundUser', {
  user_id: Type.String(),
  email: nullable(Type.String()),
  name: nullable(Type.String()),
  buyer_name: nullable(Type.String(), { description: 'On their invoices: the company’s' }),
  ...StandingSchema.properties,
  exact,
})

const FoundPaymentSchema = Type.Union([
  Type.Object({ ...OperatorPaymentSchema.properties, exact }),
  Type.Object({ ...BrokenPaymentSchema.properties, exact }),
])
export const FoundSchema = object('SearchResult', {
  users: Type.Array(FoundUserSchema, { description: 'Exact hits first, then at most 20' }),
  payments: Type.Array(FoundPaymentSchema, { description: 'Exact hits first, then at most 20' }),
})

nameSchemas({ FoundPayment: FoundPaymentSchema })
