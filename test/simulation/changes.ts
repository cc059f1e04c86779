// Changes of plan among the deeds: quoted for what is left of the time, paid early, late and twice, refunded
// in and out of order. What each costs is worked out here for every state in which it can have been asked
// for, and not by the service; of its rows only the parts are taken, within what they may be.
import { modelId } from './balances.js'
import type { BookedPayment, Ledger } from './ledger.js'
import { type ChangeCost, costOfChange, type Entry, type Quoted, standingAfter } from './model.js'
import { LEAST_AMOUNT } from './process.js'
import { ceilingOf, floorOf, NO_PART, productOf, type Ratio, ratio, sumOfAll } from './ratio.js'
import { isBooked, require } from './rules.js'
import { CODE_KINDS, type Edition } from './sales.js'

const RULE = 'a change costs what is left of the dearer plan, less what was paid for it'

/** What is known where a payment is seen first. */
export interface ChangeContext {
  readonly ledger: Ledger
  /** What can have been a user's history when it was asked for. */
  readonly histories: (user: string) => readonly (readonly Entry[])[]
  /** The instants of the steps since then: the payment is written after its price was decided. */
  readonly instants: readonly number[]
  readonly editionAt: (instant: number) => Edition
  /** The kind of the code with this hash. */
  readonly codeKind: (hash: string) => string | undefined
}

export class Changes {
  /** By the payment: the parts that it was asked for, since those that are booked replace them. */
  readonly #quoted = new Map<string, readonly Quoted[]>()

  /** Once for each state of the ledger. */
  check(context: ChangeContext): void {
    const { ledger } = context
    const isNew = ({ kind, id }: BookedPayment) => kind === 'change' && !this.#quoted.has(id)
    const asked = ledger.payments.filter(isNew)
    for (const payment of asked) this.#quoted.set(payment.id, quotedIn(payment))
    for (const payment of asked)
      if (payment.secondOf === null) checkCost(payment, this.quotedFor(payment, ledger), context)
  }

  /** By the ids that the model has. */
  quotedFor({ id, secondOf }: BookedPayment, ledger: Ledger): readonly Quoted[] {
    const own = (of: string) => modelId(ledger, of)
    const quoted = this.#quoted.get(secondOf ?? id) ?? []
    return quoted.map(({ id: piece, over, ...rest }) => {
      return { ...rest, id: own(piece), over: over === null ? null : own(over) }
    })
  }
}

function quotedIn({ change }: BookedPayment): readonly Quoted[] {
  const parts = change?.parts ?? []
  return parts.map(({ sourceId: id, amount: part, over, days }) => ({
    ...{ id, part, over },
    ...(days === undefined ? {} : { days }),
  }))
}

function checkCost(
  payment: BookedPayment,
  quoted: readonly Quoted[],
  { histories, instants, editionAt, codeKind }: ChangeContext,
): void {
  const { id, user, plan, createdAt, asked, discount, code } = payment
  const prices = editionAt(createdAt)[plan ?? '']
  require(plan !== null && prices !== undefined, RULE, () => `${id}: ${plan} is not sold`)
  const to = { plan, prices, least: LEAST_AMOUNT }
  const costs = histories(user).flatMap((history) =>
    instants
      .filter((instant) => instant <= createdAt)
      .map((instant) => costOfChange(standingAfter(history, instant), instant, to)),
  )
  const kind = code === null ? undefined : codeKind(code)
  // The desk asks for it some seconds before it is in the books.
  const isAsked = ({ price }: ChangeCost) => price === asked + discount
  const wasAsked = ['cash', 'cheque'].includes(payment.method) && costs.some((cost) => cost && isAsked(cost))
  const isIt = (cost: ChangeCost | undefined) =>
    cost !== undefined &&
    (wasAsked || isAsked(cost)) &&
    cost.credit === payment.change?.credit &&
    discount === takenOff(cost.price, kind) &&
    (isBooked(payment) || isSharedOut(quoted, cost))
  require(costs.some(isIt), RULE, () => {
    const said = costs.map((cost) => cost && `${cost.price} with ${cost.credit} of ${[...cost.of.keys()]}`)
    return `${JSON.stringify(payment)}, the model says ${said}`
  })
}

function takenOff(price: number, code: string | undefined): number {
  const { percent = 0, amount = 0 } = CODE_KINDS[code ?? ''] ?? {}
  return Math.min(Math.floor((price * percent) / 100) + amount, price - LEAST_AMOUNT)
}

/** The parts sum to the price, none is below 0, and none is a dinar from what is due for its time. */
function isSharedOut(quoted: readonly Quoted[], { of, price }: ChangeCost): boolean {
  const sum = quoted.reduce((total, { part }) => total + part, 0)
  const all = sumOfAll([...of.values()].map(({ due }) => atLeastNothing(due)))
  const isNear = ({ id, part, days }: Quoted) => {
    // Of days that were given one after the other, the first may be over.
    if (days !== undefined) return part >= 0
    const own = of.get(id)
    if (!own || part < 0) return false
    if (all.above === 0n) return true
    const share = productOf(atLeastNothing(own.due), ratioOf(price, all))
    return floorOf(share) <= part && part <= ceilingOf(share)
  }
  const isLeftOut = [...of].some(([id, { days }]) => days === 0 && !quoted.some((one) => one.id === id))
  return sum === price && !isLeftOut && quoted.every(isNear)
}

const atLeastNothing = (one: Ratio) => (one.above < 0n ? NO_PART : one)
const ratioOf = (amount: number, { above, below }: Ratio) =>
  productOf(ratio(amount), { above: below, below: above })
