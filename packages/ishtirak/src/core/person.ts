// Who acts for an account: what is billed is the account, and a person of it may act for it.

/** `reader` sees documents and orders nothing. `payer` orders. `owner` does all. */
export const BILLING_ROLES = ['owner', 'payer', 'reader'] as const
export type BillingRole = (typeof BILLING_ROLES)[number]

export interface Actor {
  /** The account: what has a plan, and pays. */
  readonly userId: string
  /** Absent: the account itself. */
  readonly personId?: string | undefined
  /** Absent: owner. */
  readonly billingRole?: BillingRole | undefined
}

export const isBillingRole = (value: unknown): value is BillingRole =>
  BILLING_ROLES.some((role) => role === value)

export function mayOrder({ billingRole }: Pick<Actor, 'billingRole'>): boolean {
  return billingRole !== 'reader'
}

/** What documents call the account is its owner's to say. */
export function ownsAccount({ billingRole = 'owner' }: Pick<Actor, 'billingRole'>): boolean {
  return billingRole === 'owner'
}
