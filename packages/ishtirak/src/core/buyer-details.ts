// Who buys, as a facture names them. The fields and their lengths are those of décret exécutif 05-468 and of
// what is printed on Algerian papers; no check digit of them is published.

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

/** Without these there is no facture: of a company who it is, of a person name and address. */
const REQUIRED = {
  person: ['name', 'address'],
  company: ['name', 'address', 'rc', 'nif', 'nis', 'ai', 'legalForm'],
} as const satisfies Record<BuyerDetails['kind'], readonly (keyof BuyerDetails)[]>

/** The fields that a facture cannot do without and that are not given. */
export function missingDetails(details: BuyerDetails): readonly (keyof BuyerDetails)[] {
  return REQUIRED[details.kind].filter((field) => details[field] === null)
}
