// Who buys, as an invoice names them. The fields are those of décret exécutif 05-468.

export const BUYER_KINDS = ['person', 'company'] as const

/** What was typed is kept as it was written, without the spaces around it; null: not given. */
export interface BuyerDetails {
  readonly kind: (typeof BUYER_KINDS)[number]
  /** Or the raison sociale. */
  readonly name: string | null
  readonly address: string | null
  /** Registre du commerce, such as `16/00-0123456 B 20`. */
  readonly rc: string | null
  /** Numéro d'identification fiscale: 15 digits, 20 of a branch. */
  readonly nif: string | null
  /** Numéro d'identification statistique: 15 digits. */
  readonly nis: string | null
  /** Article d'imposition: 3 to 20 characters. */
  readonly ai: string | null
  /** Such as `SARL`. */
  readonly legalForm: string | null
  /** As it is to be written, such as `1 000 000,00 DA`. */
  readonly capital: string | null
  readonly phone: string | null
  readonly email: string | null
}

/** The fields as they are called outside of the program. */
export const BUYER_FIELDS = [
  ...(['kind', 'name', 'address', 'rc', 'nif', 'nis', 'ai', 'legal_form', 'capital', 'phone'] as const),
  'email',
] as const
export type BuyerField = (typeof BUYER_FIELDS)[number]

/** Without these there is no invoice: of a company who it is, of a person name and address. */
const REQUIRED = {
  person: ['name', 'address'],
  company: ['name', 'address', 'rc', 'nif', 'nis', 'ai', 'legal_form'],
} as const satisfies Record<BuyerDetails['kind'], readonly BuyerField[]>

/** What an invoice cannot do without and is not given. */
export function missingDetails(details: BuyerDetails | null): readonly BuyerField[] {
  if (details === null) return ['kind']
  const fields = fieldsOfBuyer(details)
  return REQUIRED[details.kind].filter((field) => fields[field] === null)
}

/** By the names that they have outside of the program. */
export function fieldsOfBuyer({ legalForm, ...others }: BuyerDetails): Record<BuyerField, string | null> {
  return { ...others, legal_form: legalForm }
}
