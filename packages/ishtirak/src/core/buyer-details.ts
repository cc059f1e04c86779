// The buyer as invoices name them. The fields are those of décret exécutif 05-468.

export const BUYER_KINDS = ['person', 'company'] as const

/**
 * Values are kept as they were typed, without the spaces around them; null: not given. Forms, the wire and
 * the database name the fields alike.
 */
export interface BuyerDetails {
  readonly kind: (typeof BUYER_KINDS)[number]
  readonly name: string | null
  readonly address: string | null
  /** Registre du commerce, such as `16/00-0123456 B 20`. */
  readonly rc: string | null
  /** Numéro d'identification fiscale: 15 digits, 20 for a branch. */
  readonly nif: string | null
  /** Numéro d'identification statistique: 15 digits. */
  readonly nis: string | null
  /** Article d'imposition: 3 to 20 characters. */
  readonly ai: string | null
  /** Such as `SARL`. */
  readonly legal_form: string | null
  /** Written as invoices show it, such as `1 000 000,00 DA`. */
  readonly capital: string | null
  readonly phone: string | null
  readonly email: string | null
}

export type BuyerField = keyof BuyerDetails

export const BUYER_FIELDS = [
  ...(['kind', 'name', 'address', 'rc', 'nif', 'nis', 'ai', 'legal_form', 'capital', 'phone'] as const),
  'email',
] as const satisfies readonly BuyerField[]

/** The fields without which there is no invoice, for a company and for a person. */
const REQUIRED = {
  person: ['name', 'address'],
  company: ['name', 'address', 'rc', 'nif', 'nis', 'ai', 'legal_form'],
} as const satisfies Record<BuyerDetails['kind'], readonly BuyerField[]>

export function missingDetails(details: BuyerDetails | null): readonly BuyerField[] {
  if (details === null) return ['kind']
  return REQUIRED[details.kind].filter((field) => details[field] === null)
}
