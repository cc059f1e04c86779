// The accounts that users transfer money to.

export type AccountKind = 'ccp' | 'baridimob' | 'bank'

/** Numbers are digits without separators. */
export interface Account {
  readonly kind: AccountKind
  readonly holder: string
  /** At most 10 digits for a CCP. The RIP of BaridiMob and the RIB of a bank have 20 digits. */
  readonly number: string
  /** The two check digits of a CCP; null for the other kinds. */
  readonly key: string | null
  /** The RIP of a CCP, which BaridiMob and banks ask for instead of number and key. */
  readonly rip: string | null
  readonly bank: string | null
  readonly iban: string | null
}

/** The `payment_method` on the wire that a payment to each kind of account gets. */
export const INSTRUMENTS = { ccp: 'ccp', baridimob: 'baridimob', bank: 'bank_transfer' } as const
export type TransferInstrument = (typeof INSTRUMENTS)[AccountKind]

export function isTransferred(instrument: string | null): instrument is TransferInstrument {
  return Object.values<string | null>(INSTRUMENTS).includes(instrument)
}
