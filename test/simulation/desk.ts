// Cash and cheques among the deeds: recorded by operators, once and again, by two at once, with a wrong
// amount, for another user. They are undone by the refund that any payment has.

import { callBy, doAct } from '../../packages/ishtirak/src/acts/act-routes.js'
import { recordPayment } from '../../packages/ishtirak/src/desk/record-act.js'
import { ownerNamed } from '../support/operator.js'
import { codeOf, withExpectedErrors } from './expected.js'
import type { Ledger } from './ledger.js'
import type { Taking } from './model.js'
import type { Process } from './process.js'
import { purchasable } from './purchases.js'
import { isBooked, require } from './rules.js'
import { offersIn } from './sales.js'
import type { Task } from './scheduler.js'
import type { SimulatedWorld } from './world.js'

/** What lies on the desk. */
interface Slip {
  readonly reference: string
  readonly userId: string
  readonly plan: string
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
    const { reference: checkoutId, startedAt: _, ...bought } = slip
    const { price } = slip
    return [{ ...bought, checkoutId, amount: price, paidAt, isOurs: true }]
  })
}

export function slipsRecorded(world: SimulatedWorld, process: Process): readonly Task[] {
  const { random, slips } = world
  const before = [...slips.values()]
  const slip = before.length > 0 && random.boolean(0.3) ? random.pick(before.slice(-3)) : newSlip(world)
  slips.set(slip.reference, slip)
  const odd = random.boolean(0.15)
    ? random.pick([{ more: 1 }, { more: -1 }, { userId: `${slip.userId}0` }])
    : {}
  const at = () => world.anyProcess() ?? process
  const twice = random.boolean(0.3) ? [record(world, at(), slip)] : []
  return [...twice, record(world, at(), slip, twice.length > 0 ? {} : odd)]
}

function newSlip(world: SimulatedWorld): Slip {
  const { random, slips } = world
  const { code: _, ...bought } = random.pick(offersIn(world.edition).filter(({ code }) => code === null))
  const method = random.pick(['cash', 'cheque'] as const)
  const reference = `${method.toUpperCase()} ${slips.size + 1}`
  return { reference, userId: world.anyUser(), ...bought, method, startedAt: world.now }
}

/** By the table of the example seller for these years: a dinar for each hundred begun, and five at least. */
function dutyOn({ method, price }: Slip): number {
  return method === 'cash' && price > 300 ? Math.max(5, Math.ceil(price / 100)) : 0
}

function record(
  world: SimulatedWorld,
  { state, parts }: Process,
  slip: Slip,
  odd: { readonly more?: number; readonly userId?: string } = {},
): Task {
  const { reference, plan, months, method, price } = slip
  const userId = odd.userId ?? slip.userId
  const amount = price + dutyOn(slip) + (odd.more ?? 0)
  const rule = 'what is taken at the desk is in the books once, as it was taken'
  const known = () => world.ledger.payments.find((one) => one.checkout === reference && one.method === method)
  const wasKnown = known() !== undefined
  const isPossible = purchasable(world, userId, { planId: plan, months, mode: 'payment' })
  const startedAt = world.now
  // A slip that is entered for somebody else before it is entered rightly would be theirs.
  if (odd.userId !== undefined && !wasKnown) return record(world, { state, parts }, slip)
  const task: Task = {
    name: `the operator records ${reference} of ${amount} for ${userId}`,
    state,
    start: () => {
      const bought = { plan, months, method, amount, reference: reference.toLowerCase() }
      const asked = { ...bought, new_user: true, why: 'the simulation' }
      return doAct(parts, recordPayment, callBy(ownerNamed('operator'), userId, asked))
    },
    ended: (end) => {
      world.figures.count(`acts: records ${end.kind}`)
      const refusal = end.kind === 'threw' ? codeOf(end.error) : ''
      if (end.kind === 'done')
        world.afterwards(() => {
          const booked = known()
          const isIt = booked && isBooked(booked) && booked.user === userId && booked.amount === price
          require(isIt === true && amount === price + dutyOn(slip), rule, () =>
            `${reference} of ${amount}: ${JSON.stringify(booked)}`)
        })
      // A slip may be entered when the catalogue says otherwise by then.
      const isSold = world.edition[plan]?.[months] === price
      if (refusal === 'wrong_amount')
        require(odd.more !== undefined || !isSold, rule, () => `${amount} was refused`)
      if (refusal === 'unknown_plan') require(!isSold, rule, () => `${plan} was refused`)
      if (refusal === 'conflict' || refusal === 'already_refunded')
        require(wasKnown || odd.more !== undefined, rule, () => `${reference} is ${refusal}`)
      if (refusal === 'prepaid_limit_reached')
        world.afterwards(() =>
          require(isPossible(startedAt).includes(false), 'what is bought ahead ends within the limit', () =>
            `${reference} was refused`),
        )
    },
  }
  const oddly = ['wrong_amount', 'unknown_plan', 'conflict', 'already_refunded'] as const
  return withExpectedErrors(world, task, ['prepaid_limit_reached', ...oddly])
}
