// Costs are worked out for every state in which a change can have been asked for; only parts come from rows.
import { modelId } from './balances.js'
import type { BookedPayment, Ledger } from './ledger.js'
import { type ChangeCost, costOfChange, type Entry, type Quoted, standingAfter } from './model.js'
import { LEAST_AMOUNT } from './process.js'
import { ceilingOf, floorOf, NO_PART, productOf, type Ratio, ratio, sumOfAll } from './ratio.js'
import { isBooked, require } from './rules.js'
import { CODE_KINDS } from './sales.js'
import type { SimulatedWorld } from './world.js'

const RULE = 'a change costs what is left of the dearer plan, less what was paid for it'

export class Changes {
  /** By the payment: the parts that it was asked for, since those that are booked replace them. */
  readonly #quoted = new Map<string, readonly Quoted[]>()
  /** By a payment that was booked at once: the parts that another change took first, by the model's ids. */
  readonly #lost = new Map<string, readonly Quoted[]>()

  /** `histories` and `instants` since the last check: a payment is written after its price was decided. */
  check(
    world: SimulatedWorld,
    histories: (user: string) => readonly (readonly Entry[])[],
    instants: readonly number[],
  ): void {
    const { ledger } = world
    const isNew = ({ kind, id }: BookedPayment) => kind === 'change' && !this.#quoted.has(id)
    const asked = ledger.payments.filter(isNew)
    for (const { id, change } of asked) {
      const parts = change?.parts ?? []
      const quoted = parts.map(({ sourceId, amount: part, ...rest }) => ({ ...rest, id: sourceId, part }))
      this.#quoted.set(id, quoted)
    }
    for (const payment of asked.filter(({ secondOf }) => secondOf === null)) {
      const { id, user, plan, createdAt } = payment
      const prices = world.editionAt(createdAt)[plan ?? '']
      require(plan !== null && prices !== undefined, RULE, () => `${id}: ${plan} is not sold`)
      const to = { plan, prices, least: LEAST_AMOUNT }
      const costs = histories(user).flatMap((history) =>
        instants
          .filter((instant) => instant <= createdAt)
          .flatMap((instant) => costOfChange(standingAfter(history, instant), instant, to) ?? []),
      )
      const codeKind = payment.code === null ? undefined : world.codes.kindOf(payment.code, ledger)
      const quoted = this.quotedFor(payment, ledger)
      const cost = costFor(payment, costs, { quoted, codeKind })
      this.#lost.set(id, lostParts(payment, quoted, cost))
    }
  }

  /** By the ids that the model has. */
  quotedFor({ id, secondOf }: BookedPayment, ledger: Ledger): readonly Quoted[] {
    const quoted = this.#quoted.get(secondOf ?? id) ?? []
    const named = quoted.map((one) => {
      const lastChange = one.lastChange === null ? null : modelId(ledger, one.lastChange)
      return { ...one, id: modelId(ledger, one.id), lastChange }
    })
    return [...named, ...(this.#lost.get(secondOf ?? id) ?? [])]
  }
}

/** The model decides whether they are lost: the row of one that was booked at once has only the others. */
function lostParts(payment: BookedPayment, quoted: readonly Quoted[], { of }: ChangeCost): readonly Quoted[] {
  const rest = payment.amount - quoted.reduce((sum, { part }) => sum + part, 0)
  if (!isBooked(payment) || rest === 0) return []
  const lost = [...of].filter(([id]) => !quoted.some((one) => one.id === id))
  return lost.map(([id, { lastChange }], place) => ({ id, lastChange, part: place === 0 ? rest : 0 }))
}

function costFor(
  payment: BookedPayment,
  costs: readonly ChangeCost[],
  { quoted, codeKind }: { readonly quoted: readonly Quoted[]; readonly codeKind: string | undefined },
): ChangeCost {
  const { asked, discount, method, change } = payment
  // The desk asks for it some seconds before it is in the books.
  const isAsked = ({ price }: ChangeCost) => price === asked + discount
  const wasAsked = ['cash', 'cheque'].includes(method) && costs.some(isAsked)
  const isIt = (cost: ChangeCost) =>
    (wasAsked || isAsked(cost)) &&
    cost.credit === change?.credit &&
    discount === takenOff(cost.price, codeKind) &&
    (isBooked(payment) || isSharedOut(quoted, cost))
  const cost = costs.find(isIt)
  require(cost !== undefined, RULE, () => {
    const said = costs.map(({ price, credit, of }) => `${price} with ${credit} of ${[...of.keys()]}`)
    return `${JSON.stringify(payment)}, the model says ${said}`
  })
  return cost
}

function takenOff(price: number, code: string | undefined): number {
  const { percent = 0, amount = 0 } = CODE_KINDS[code ?? ''] ?? {}
  return Math.min(Math.floor((price * percent) / 100) + amount, price - LEAST_AMOUNT)
}

/** The parts sum to the price, none is below 0, and none is a dinar from what is due for its time. */
function isSharedOut(quoted: readonly Quoted[], { of, price }: ChangeCost): boolean {
  const sum = quoted.reduce((total, { part }) => total + part, 0)
  const atLeastNothing = (one: Ratio) => (one.above < 0n ? NO_PART : one)
  const all = sumOfAll([...of.values()].map(({ due }) => atLeastNothing(due)))
  const isNear = ({ id, part, days }: Quoted) => {
    // Of days that were given one after the other, the first may be over.
    if (days !== undefined) return part >= 0
    const own = of.get(id)
    if (!own || part < 0) return false
    if (all.above === 0n) return true
    const priceOfAll = productOf(ratio(price), { above: all.below, below: all.above })
    const share = productOf(atLeastNothing(own.due), priceOfAll)
    return floorOf(share) <= part && part <= ceilingOf(share)
  }
  const isLeftOut = [...of].some(([id, { days }]) => days === 0 && !quoted.some((one) => one.id === id))
  return sum === price && !isLeftOut && quoted.every(isNear)
}
