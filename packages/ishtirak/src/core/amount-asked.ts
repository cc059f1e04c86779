// Another amount came than was asked for, and an operator takes it: what is booked, and kept beside it.
import type { CheckoutReport } from './checkout.js'
import type { Payment } from './payment.js'
import type { Money } from './plan.js'

export function priceAsked({ price, amountAsked }: Pick<Payment, 'price' | 'amountAsked'>): Money {
  return amountAsked === null ? price : { ...price, amount: amountAsked }
}

type SaidMoney = Pick<CheckoutReport, 'amount' | 'currency'>

/** Two reports name the same amount, and an operator who takes the payment books the same by either. */
export function isSameMoney(payment: Payment, one: SaidMoney, other: SaidMoney): boolean {
  const booked = [one, other].map((said) => asItCame(payment, said)?.price.amount)
  return one.amount === other.amount && booked[0] === booked[1]
}

/** Of the column. */
const AMOUNT_MAX = 2_147_483_647

/** As it came. What the report leaves unsaid, or in another currency, is as asked. Null: no such amount. */
export function asItCame(payment: Payment, { amount, currency }: SaidMoney): Payment | null {
  const { price } = payment
  const isUnsaid = amount === null || (currency !== null && currency !== price.currency)
  if (isUnsaid || amount === price.amount) return payment
  if (amount < 1 || amount > AMOUNT_MAX) return null
  return { ...payment, price: { ...price, amount }, amountAsked: price.amount }
}
