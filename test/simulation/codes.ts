// Whether a code has a use left is counted by the payments that hold one, not by the service.
import type { BookedPayment, Ledger } from './ledger.js'
import type { Gift } from './model.js'
import { require } from './rules.js'
import { type CodeKindSold, priceOf, saleAt } from './sales.js'

export interface MadeCode extends CodeKindSold {
  readonly single: number
  readonly kind: string
  readonly batch: string
  readonly text: string
  /** The first instant at which it counts no more. */
  readonly until: number | null
}

const DEAD = ['failed', 'canceled', 'expired']
const OPEN = ['requested', 'pending']

/** What holds a use: a payment that is not dead, or a redemption, for ever. */
function holdersOf({ payments, grants }: Ledger, hash: string | undefined) {
  return [
    ...payments.filter(({ code, status }) => code === hash && !DEAD.includes(status)),
    ...grants
      .filter(({ code }) => code === hash)
      .map((grant) => ({ ...grant, status: 'redeemed', method: null, secondOf: null })),
  ]
}

const hashOf = ({ codes }: Ledger, made: MadeCode) => codes.find(({ batch }) => batch === made.batch)?.hash

export class Codes {
  readonly made: MadeCode[] = []
  /** Payments that may hold a use beyond the bound: they died, another took it, and the money came late. */
  readonly #late = new Set<string>()
  #before: readonly BookedPayment[] = []

  /** Once for each state of the ledger. */
  check(ledger: Ledger): void {
    this.#noteLate(ledger)
    for (const { hash, batch, used } of ledger.codes) {
      const holders = holdersOf(ledger, hash)
      const isHeld = used === holders.length
      require(isHeld, 'a use of a code is held by what was paid, can be, or was redeemed', () =>
        `${batch} counts ${used}, held by ${holders.map(({ id, status }) => `${id} ${status}`)}`)
      const made = this.made.find((one) => one.batch === batch)
      if (!made) continue
      const inTime = holders.filter(({ id, secondOf }) => !this.#late.has(id) && secondOf === null)
      const rule = 'no code is used more often than its bound'
      require(inTime.length <= made.uses, rule, () => `${batch}: ${inTime.map(({ id }) => id)}`)
      for (const { user } of inTime) {
        const own = inTime.filter((one) => one.user === user)
        require(own.length <= made.usesPerUser, rule, () => `${batch}: ${own.map(({ id }) => id)}`)
      }
    }
    for (const payment of ledger.payments) if (payment.kind === 'purchase') this.#checkPrice(ledger, payment)
    this.#before = ledger.payments
  }

  /** Whether this user can buy with it. A new choice replaces their own open payment by this method. */
  hasUseLeft(
    made: MadeCode,
    by: { readonly userId: string; readonly method: string },
    ledger: Ledger,
  ): boolean {
    const { userId } = by
    const holders = holdersOf(ledger, hashOf(ledger, made)).filter(
      ({ user, status, method }) => user !== userId || method !== by.method || !OPEN.includes(status),
    )
    const own = holders.filter(({ user }) => user === userId)
    return holders.length < made.uses && own.length < made.usesPerUser
  }

  /** As long as it is the same, no use was taken or came back. */
  usesOf(made: MadeCode, ledger: Ledger): string {
    const hash = hashOf(ledger, made)
    const ofPayments = ledger.payments.filter(({ code }) => code === hash)
    return [...ofPayments, ...holdersOf(ledger, hash)].map(({ id, status }) => `${id} ${status}`).join()
  }

  #madeAs(hash: string | null, { codes }: Ledger): MadeCode | undefined {
    const batch = codes.find((one) => one.hash === hash)?.batch
    return this.made.find((one) => one.batch === batch)
  }

  kindOf(hash: string, ledger: Ledger): string | undefined {
    return this.#madeAs(hash, ledger)?.kind
  }

  giftOf(hash: string, ledger: Ledger): Omit<Gift, 'id' | 'at' | 'sold'> | undefined {
    const { isVoucher, plan, months = 0, single = 0 } = this.#madeAs(hash, ledger) ?? {}
    return isVoucher && plan ? { plan, months, days: 0, single } : undefined
  }

  #noteLate({ payments }: Ledger): void {
    const isNew = ({ id }: BookedPayment) => !this.#before.some((one) => one.id === id)
    for (const payment of payments) {
      if (payment.code === null) continue
      if (DEAD.includes(payment.status)) this.#late.add(payment.id)
      const before = this.#before.find(({ id }) => id === payment.id)
      // In one run it may have died, its use been taken by another, and its money come.
      const isMoved = before !== undefined && OPEN.includes(before.status) && !OPEN.includes(payment.status)
      if (isMoved && payments.some((one) => one.code === payment.code && isNew(one)))
        this.#late.add(payment.id)
    }
  }

  #checkPrice(ledger: Ledger, { id, code, asked, discount, months }: BookedPayment): void {
    const sale = saleAt(asked)
    const made = this.#madeAs(code, ledger)
    const full = sale && priceOf({ ...sale, code: null })
    const isRight =
      sale?.months === months && full === asked + discount && (sale.code === null) === (code === null)
    require(isRight && (!made || made.kind === sale.code), 'a code takes off what it says', () =>
      `${id}: ${asked} and ${discount} off for ${months} months by ${made?.batch}`)
  }
}
