// Cash and cheques among the deeds, for terms, for dearer plans at once and for balances: recorded by
// operators, once and again, by two at once, with a wrong amount, for another user. They are undone by
// refunds, as any payment.

import { callBy, doAct } from '../../packages/ishtirak/src/acts/act-routes.js'
import { recordPayment } from '../../packages/ishtirak/src/desk/record-act.js'
import { ownerNamed } from '../support/operator.js'
import { codeOf, withExpectedErrors } from './expected.js'
import type { BookedPayment, Ledger } from './ledger.js'
import { costOfChange, type Taking } from './model.js'
import { LEAST_AMOUNT, type Process } from './process.js'
import { purchasable } from './purchases.js'
import { isBooked, require } from './rules.js'
import { offersIn } from './sales.js'
import type { Task } from './scheduler.js'
import type { SimulatedWorld } from './world.js'

/** What lies on the desk. */
interface Slip {
  readonly kind: BookedPayment['kind']
  readonly reference: string
  readonly userId: string
  readonly plan: string
  /** Of a purchase. */
  readonly months: number
  readonly single: number
  readonly price: number
  readonly method: 'cash' | 'cheque'
  readonly startedAt: number
}

/** By reference. */
export type Slips = Map<string, Slip>

/** What was taken at the desk, of what is in the books. */
export function takingsAtDesk({ payments }: Ledger, slips: Slips): readonly Taking[] {
  return payments.flatMap(({ checkout, method: way, paidAt }): readonly Taking[] => {
    const slip = slips.get(checkout ?? '')
    if (!slip || way !== slip.method || paidAt === null || paidAt < slip.startedAt) return []
    const { reference: checkoutId, userId, plan, months, single, price, method } = slip
    const bought = { userId, plan, months, single, price, method }
    return [{ ...bought, checkoutId, amount: price, paidAt, isOurs: true }]
  })
}

export function slipsRecorded(world: SimulatedWorld, process: Process): readonly Task[] {
  const { random, slips } = world
  // What a change cost is known for an hour alone.
  const isAgain = ({ kind, reference }: Slip) => kind !== 'change' || bookedAs(world, reference) !== undefined
  const before = [...slips.values()].filter(isAgain)
  const isOld = before.length > 0 && random.boolean(0.3)
  const slip = isOld ? random.pick(before.slice(-3)) : newSlip(world, world.anyUser())
  slips.set(slip.reference, slip)
  // A change may have cost more within the hour.
  const wrong = slip.kind === 'change' ? [{ more: -5 }] : [{ more: 1 }, { more: -1 }]
  const odd = random.boolean(0.15) ? random.pick([...wrong, { userId: `${slip.userId}0` }]) : {}
  const at = () => world.anyProcess() ?? process
  const twice = random.boolean(0.3) ? [record(world, at(), slip)] : []
  return [...twice, record(world, at(), slip, twice.length > 0 ? {} : odd)]
}

/** A dearer plan for the time that is left. None where there is none, or no process. */
export function changeAtDesk(world: SimulatedWorld, userId: string): readonly Task[] {
  const process = world.anyProcess()
  const slip = newSlip(world, userId, 'change')
  if (!process || slip.kind !== 'change') return []
  world.slips.set(slip.reference, slip)
  world.figures.count('checked: another plan at the desk')
  return [record(world, process, slip)]
}

function newSlip(world: SimulatedWorld, userId: string, wanted?: 'change'): Slip {
  const { random, slips, edition, balanceMax } = world
  const kind = wanted ?? random.weighted({ purchase: 4, change: 4, top_up: balanceMax > 0 ? 2 : 0 })
  const { code: _, ...bought } = random.pick(offersIn(edition).filter(({ code }) => code === null))
  const plan = random.pick(['team', 'max'])
  const price = kind === 'change' ? changeCost(world, userId, plan) : undefined
  const single = edition[plan]?.[1] ?? 0
  const method = random.pick(['cash', 'cheque'] as const)
  const reference = `${method.toUpperCase()} ${slips.size + 1}`
  const of = { reference, userId, method, startedAt: world.now, months: 0 }
  if (kind === 'top_up')
    return { ...of, kind, plan: 'unknown', single: 0, price: random.pick([200, 2000, 5000, 31_000]) }
  if (price === undefined) return { ...of, kind: 'purchase', ...bought }
  return { ...of, kind: 'change', plan, single, price }
}

/** In the state as it is; undefined: it is none of a dearer plan. */
function changeCost(world: SimulatedWorld, userId: string, plan: string): number | undefined {
  const to = { plan, prices: world.edition[plan] ?? {}, least: LEAST_AMOUNT }
  return costOfChange(world.standingOf(userId), world.now, to)?.price
}

/** By the table of the example seller for these years: one rate for the whole, and five dinars at least. */
function dutyOn({ method, price }: Slip): number {
  if (method === 'cheque' || price <= 300) return 0
  const rate = price <= 30_000 ? 1 : price <= 100_000 ? 1.5 : 2
  return Math.max(5, Math.ceil(price / 100) * rate)
}

function bookedAs({ ledger, slips }: SimulatedWorld, reference: string) {
  const way = slips.get(reference)?.method
  return ledger.payments.find(({ checkout, method }) => checkout === reference && method === way)
}

function record(
  world: SimulatedWorld,
  { state, parts }: Process,
  slip: Slip,
  odd: { readonly more?: number; readonly userId?: string } = {},
): Task {
  const { kind, reference, plan, months, method, price } = slip
  const isChange = kind === 'change'
  const userId = odd.userId ?? slip.userId
  const amount = price + dutyOn(slip) + (odd.more ?? 0)
  const rule = 'what is taken at the desk is in the books once, as it was taken'
  const known = () => bookedAs(world, reference)
  const wasKnown = known() !== undefined
  const isPossible = purchasable(world, userId, { planId: plan, months, mode: 'payment' })
  const startedAt = world.now
  const to = { plan, prices: world.edition[plan] ?? {}, least: LEAST_AMOUNT }
  const costs = world.statesOf(userId, (standing, at) => costOfChange(standing, at, to)?.price)
  const mayCost = () => [...costs(startedAt), ...costs(world.now)]
  const most = world.statesOf(userId, ({ balance }) => world.balanceMax - balance)
  // A slip that is entered for somebody else before it is entered rightly would be theirs.
  if (odd.userId !== undefined && !wasKnown) return record(world, { state, parts }, slip)
  const task: Task = {
    name: `the operator records ${reference} of ${amount} for ${userId}`,
    state,
    start: () => {
      const sold = { purchase: { plan, months }, change: { plan, start: 'now' }, top_up: { top_up: price } }
      const bought = sold[kind]
      const taken = { method, amount, reference: reference.toLowerCase() }
      const asked = { ...bought, ...taken, new_user: true, why: 'the simulation' }
      return doAct(parts, recordPayment, callBy(ownerNamed('operator'), userId, asked))
    },
    ended: (end) => {
      world.figures.count(`acts: records ${end.kind}`)
      const refusal = end.kind === 'threw' ? codeOf(end.error) : ''
      if (end.kind === 'done')
        world.afterwards(() => {
          const booked = known()
          const isOf = booked && isBooked(booked) && booked.user === userId && booked.kind === kind
          const isIt = isOf && booked.amount === price
          require(isIt === true && amount === price + dutyOn(slip), rule, () =>
            `${reference} of ${amount}: ${JSON.stringify(booked)}`)
          const mayBe = [...most(startedAt), ...most(world.now)]
          const isWithin = kind !== 'top_up' || wasKnown || mayBe.some((one) => price <= one)
          require(isWithin, 'a balance is topped up to its limit', () => `${reference} of ${mayBe}`)
        })
      // A slip may be entered when the catalogue says otherwise by then.
      const { [isChange ? 1 : months]: listed } = world.edition[plan] ?? {}
      const isSold = kind === 'top_up' || listed === (isChange ? slip.single : price)
      if (refusal === 'wrong_amount')
        world.afterwards(() => {
          const isOther = isChange && mayCost().some((cost) => cost === undefined || !isNear(cost, price))
          require(odd.more !== undefined || !isSold || isOther, rule, () => `${amount} was refused`)
        })
      if (refusal === 'no_dearer_plan')
        world.afterwards(() =>
          require(isChange && mayCost().includes(undefined), rule, () => `${plan} was refused`),
        )
      if (refusal === 'unknown_plan') require(!isSold, rule, () => `${plan} was refused`)
      if (refusal === 'conflict' || refusal === 'already_refunded')
        require(wasKnown || odd.more !== undefined, rule, () => `${reference} is ${refusal}`)
      if (refusal === 'balance_limit_reached')
        world.afterwards(() => {
          const mayBe = [...most(startedAt), ...most(world.now)]
          const isRight = kind === 'top_up' && mayBe.some((one) => price > one)
          require(isRight, 'a balance is topped up to its limit', () => `${reference} of ${mayBe}`)
        })
      if (refusal === 'prepaid_limit_reached')
        world.afterwards(() => {
          const mayBuy = [...isPossible(startedAt), ...isPossible(world.now)]
          require(mayBuy.includes(false), 'what is bought ahead ends within the limit', () =>
            `${reference} was refused`)
        })
    },
  }
  const oddly = ['wrong_amount', 'unknown_plan', 'no_dearer_plan', 'conflict', 'already_refunded'] as const
  return withExpectedErrors(world, task, ['prepaid_limit_reached', 'balance_limit_reached', ...oddly])
}

/** A change costs less by the second: by a dinar or two while it is recorded. */
function isNear(cost: number, taken: number): boolean {
  return cost <= taken && taken - cost <= 2
}
