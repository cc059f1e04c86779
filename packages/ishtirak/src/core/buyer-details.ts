// The buyer as invoices name them. The fields are those of décret exécutif 05-468.

export const BUYER_KINDS = ['person', 'company'] as const

/** Forms, the wire and the database name the fields alike. */
export const BUYER_FIELDS = [
  'kind',
  'name',
  'address',
  /** Registre du commerce, such as `16/00-0123456 B 20`. */
  'rc',
  /** Numéro d'identification fiscale: 15 digits, 20 for a branch. */
  'nif',
  /** Numéro d'identification statistique: 15 digits. */
  'nis',
  /** Article d'imposition: 3 to 20 characters. */
  'ai',
  /** Such as `SARL`. */
  'legal_form',
  /** Written as invoices show it, such as `1 000 000,00 DA`. */
  'capital',
  'phone',
  'email',
] as const
export type BuyerField = (typeof BUYER_FIELDS)[number]

/** Values are kept as they were typed, without the spaces around them; null: not given. */
export type BuyerDetails = { readonly kind: (typeof BUYER_KINDS)[number] } & {
  readonly [Field in Exclude<BuyerField, 'kind'>]: string | null
}

/** The fields without which there is no invoice, for a company and for a person. */
const REQUIRED = {
  person: ['name', 'address'],
  company: ['name', 'address', 'rc', 'nif', 'nis', 'ai', 'legal_form'],
} as const satisfies Record<BuyerDetails['kind'], readonly BuyerField[]>

export function missingDetails(details: BuyerDetails | null): readonly BuyerField[] {
  if (details === null) return ['kind']
  return REQUIRED[details.kind].filter((field) => details[field] === null)
}
