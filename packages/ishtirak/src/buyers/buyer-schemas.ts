// The schemas of a buyer's details.
import { type Static, Type } from 'typebox'
import { BUYER_FIELDS, BUYER_KINDS, type BuyerDetails, missingDetails } from '../core/buyer-details.js'
import { nullable, object, request } from '../http/schemas.js'

const text = (description: string, ...examples: readonly string[]) =>
  Type.String({ description, examples: [...examples] })

const kind = Type.Enum([...BUYER_KINDS], {
  description: 'A company needs more on an invoice than a person',
  examples: ['company'],
})

const texts = {
  name: text('Or the raison sociale; at most 120 characters', 'SARL Atlas'),
  address: text('The address in at most 240 characters', '12, rue Didouche Mourad, Alger'),
  rc: text('Registre du commerce', '16/00-0123456 B 20'),
  nif: text('Numéro d’identification fiscale: 15 digits, 20 of a branch', '000216001808337'),
  nis: text('Numéro d’identification statistique: 15 digits', '000216180833713'),
  ai: text('Article d’imposition: 3 to 20 characters', '16012345678'),
  legal_form: text('Legal form, at most 60 characters', 'SARL'),
  capital: text('Share capital, as it is to be written', '1 000 000,00 DA'),
  phone: text('Telephone, in any form', '0555 12 34 56'),
  email: text('E-mail address for documents', 'compta@atlas.dz'),
}
type Texts = typeof texts
type Each<Schema> = { [Name in keyof Texts]: Schema }

function eachText<Made>(make: (schema: Texts['name']) => Made): Each<Made> {
  const made = Object.entries(texts).map(([name, schema]) => [name, make(schema)])
  // `texts` gave the names, so all are there.
  return Object.fromEntries(made) as Each<Made>
}

/** Absent fields become null. */
export const BuyerRequestSchema = request(
  'BuyerRequest',
  { kind, ...eachText((schema) => Type.Optional(nullable(schema))) },
  { examples: [{ kind: 'company', ...eachText((schema) => Object(schema).examples[0]) }] },
)
export type BuyerRequest = Static<typeof BuyerRequestSchema>

/** The input of an act. Absent fields become null. */
export const buyerInput = { kind, ...eachText((schema) => Type.Optional(schema)) }

export const BuyerSchema = object('Buyer', {
  kind: nullable(kind, { description: 'Null: nothing was given' }),
  ...eachText((schema) => nullable(schema)),
  complete: Type.Boolean({ description: 'An invoice can be made out' }),
  missing: Type.Array(Type.Enum([...BUYER_FIELDS]), {
    description: 'Details that an invoice needs and that are missing',
  }),
})
export type BuyerView = Static<typeof BuyerSchema>

export function viewBuyer(buyer: BuyerDetails | null): BuyerView {
  const missing = [...missingDetails(buyer)]
  return { ...NOTHING, ...buyer, complete: missing.length === 0, missing }
}

const NOTHING: Readonly<Record<keyof Texts | 'kind', null>> = { kind: null, ...eachText(() => null) }
