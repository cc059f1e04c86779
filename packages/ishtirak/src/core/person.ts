// Who acts for an account. The account is billed; a person of the account may act for it.

/** `reader` sees documents and orders nothing. `payer` also orders. `owner` may do everything. */
export const BILLING_ROLES = ['owner', 'payer', 'reader'] as const
export type BillingRole = (typeof BILLING_ROLES)[number]

export interface Actor {
  /** The account, which has a plan and pays. */
  readonly userId: string
  /** Absent: the account itself acts. */
  readonly personId?: string | undefined
  /** Absent: `owner`. */
  readonly billingRole?: BillingRole | undefined
}

export const isBillingRole = (value: unknown): value is BillingRole =>
  BILLING_ROLES.some((role) => role === value)

export function mayOrder({ billingRole }: Pick<Actor, 'billingRole'>): boolean {
  return billingRole !== 'reader'
}

/** Only the account's owner may change the name that documents show. */
export function ownsAccount({ billingRole = 'owner' }: Pick<Actor, 'billingRole'>): boolean {
  return billingRole === 'owner'
}
