// Recorded once and again, by two operators at once, with a wrong amount, for another user.
import { recordPayment } from '../../packages/ishtirak/src/desk/record-payment.js'
import { act, deed } from './expected.js'
import type { BookedPayment, Ledger } from './ledger.js'
import { costOfChange, type Taking } from './model.js'
import { LEAST_AMOUNT, type Process } from './process.js'
import { mayBeBought } from './purchases.js'
import { isBooked, require } from './rules.js'
import { offersIn } from './sales.js'
import type { Task } from './scheduler.js'
import type { SimulatedWorld } from './world.js'

interface Slip {
  readonly kind: BookedPayment['kind']
  readonly reference: string
  readonly userId: string
  readonly plan: string
  /** Only a purchase has months. */
  readonly months: number
  readonly single: number
  readonly price: number
  readonly method: 'cash' | 'cheque'
  readonly startedAt: number
}

export type Slips = Map<string, Slip>

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
  const to = { plan, prices: edition[plan] ?? {}, least: LEAST_AMOUNT }
  const price = kind === 'change' ? costOfChange(world.standingOf(userId), world.now, to)?.price : undefined
  const method = random.pick(['cash', 'cheque'] as const)
  const reference = `${method.toUpperCase()} ${slips.size + 1}`
  const of = { reference, userId, method, startedAt: world.now, months: 0 }
  if (kind === 'top_up')
    return { ...of, kind, plan: 'unknown', single: 0, price: random.pick([200, 2000, 5000, 31_000]) }
  if (price === undefined) return { ...of, kind: 'purchase', ...bought }
  return { ...of, kind: 'change', plan, single: edition[plan]?.[1] ?? 0, price }
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

const IN_BOOKS = 'what is taken at the desk is in the books once, as it was taken'

function record(
  world: SimulatedWorld,
  process: Process,
  slip: Slip,
  odd: { readonly more?: number; readonly userId?: string } = {},
): Task {
  const { kind, reference, plan, months, method, price } = slip
  const wasKnown = bookedAs(world, reference) !== undefined
  // A slip that is entered for somebody else before it is entered rightly would be theirs.
  const userId = wasKnown ? (odd.userId ?? slip.userId) : slip.userId
  const more = odd.more ?? 0
  const amount = price + dutyOn(slip) + more
  const checks = checksOf(world, slip, { userId, more, wasKnown })
  return deed(world, process, {
    name: `the operator records ${reference} of ${amount} for ${userId}`,
    figure: 'acts: records',
    start: (parts) => {
      const bought = {
        purchase: { plan, months },
        change: { plan, start: 'now' },
        top_up: { top_up: price },
      }[kind]
      const taken = { method, amount, reference: reference.toLowerCase() }
      return act(parts, recordPayment, userId, { ...bought, ...taken, new_user: true })
    },
    done: checks.recorded,
    ...{ refusals: Object.keys(checks.refusals) as (keyof typeof checks.refusals)[] },
    // A slip may be entered when the catalogue says otherwise by then.
    ended: (how) => checks.atOnce(how),
    refused: (code) => checks.refusals[code as keyof typeof checks.refusals]?.(),
  })
}

/** What must hold of the answer, by the states since now. */
function checksOf(
  world: SimulatedWorld,
  slip: Slip,
  { userId, more, wasKnown }: { readonly userId: string; readonly more: number; readonly wasKnown: boolean },
) {
  const { kind, reference, plan, months, price } = slip
  const isChange = kind === 'change'
  const mayBuy = world.meanwhile(userId, mayBeBought(world, { planId: plan, months, mode: 'payment' }))
  const to = { plan, prices: world.edition[plan] ?? {}, least: LEAST_AMOUNT }
  const mayCost = world.meanwhile(userId, (standing, at) => costOfChange(standing, at, to)?.price)
  const most = world.meanwhile(userId, ({ balance }) => world.balanceMax - balance)
  const topUpRule = 'a balance is topped up to its limit'
  let isSold = true
  return {
    recorded: () => {
      const booked = bookedAs(world, reference)
      const isOf = booked && isBooked(booked) && booked.user === userId && booked.kind === kind
      require(isOf === true && booked?.amount === price && more === 0, IN_BOOKS, () =>
        `${reference}, ${more} more: ${JSON.stringify(booked)}`)
      const isWithin = kind !== 'top_up' || wasKnown || most().some((one) => price <= one)
      require(isWithin, topUpRule, () => `${reference} of ${most()}`)
    },
    atOnce: (how: string) => {
      const { [isChange ? 1 : months]: listed } = world.edition[plan] ?? {}
      isSold = kind === 'top_up' || listed === (isChange ? slip.single : price)
      if (how === 'unknown_plan') require(!isSold, IN_BOOKS, () => `${plan} was refused`)
      if (how === 'conflict' || how === 'already_refunded')
        require(wasKnown || more !== 0, IN_BOOKS, () => `${reference} is ${how}`)
    },
    refusals: {
      wrong_amount: () => {
        // A change costs less by the second: by a dinar or two while it is recorded.
        const isNear = (cost: number) => cost <= price && price - cost <= 2
        const isOther = isChange && mayCost().some((cost) => cost === undefined || !isNear(cost))
        require(more !== 0 || !isSold || isOther, IN_BOOKS, () => `${price} was refused`)
      },
      no_dearer_plan: () =>
        require(isChange && mayCost().includes(undefined), IN_BOOKS, () => `${plan} was refused`),
      balance_limit_reached: () => {
        const isRight = kind === 'top_up' && most().some((one) => price > one)
        require(isRight, topUpRule, () => `${reference} of ${most()}`)
      },
      prepaid_limit_reached: () =>
        require(mayBuy().includes(false), 'what is bought ahead ends within the limit', () =>
          `${reference} was refused`),
      ...{ unknown_plan: () => undefined, conflict: () => undefined, already_refunded: () => undefined },
    },
  }
}
