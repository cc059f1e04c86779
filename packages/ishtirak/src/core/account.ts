// The accounts that users transfer money to.

export type AccountKind = 'ccp' | 'baridimob' | 'bank'

/** Numbers are digits without separators. */
export interface Account {
  readonly kind: AccountKind
  readonly holder: string
  /** Of a CCP up to 10 digits; of BaridiMob the RIP, of a bank the RIB, 20 digits each. */
  readonly number: string
  /** Of a CCP: its two check digits. */
  readonly key: string | null
  /** Of a CCP: the same account as BaridiMob and banks write it. */
  readonly rip: string | null
  readonly bank: string | null
  readonly iban: string | null
}

/** How a payment says which kind of account it came to (`payment_method` on the wire). */
export const INSTRUMENTS = { ccp: 'ccp', baridimob: 'baridimob', bank: 'bank_transfer' } as const
export type TransferInstrument = (typeof INSTRUMENTS)[AccountKind]

export function isTransferred(instrument: string | null): instrument is TransferInstrument {
  return Object.values<string | null>(INSTRUMENTS).includes(instrument)
}
