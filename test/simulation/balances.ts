// What an order has bought is worked out by the model; of the rows only what was done is taken.
import { correctBalance, payOutBalance } from '../../packages/ishtirak/src/balance/balance-acts.js'
import {
  bookDueRenewals,
  checkOrders,
  endOrder,
  setOrder,
} from '../../packages/ishtirak/src/balance/order.js'
import { openPayment } from '../../packages/ishtirak/src/checkout/upgrade.js'
import { balanceIn } from '../../packages/ishtirak/src/core/balance.js'
import { NEVER_PAID, renewed } from '../../packages/ishtirak/src/core/subscription.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { act, deed } from './expected.js'
import type { BookedPayment, Ledger } from './ledger.js'
import type { Entry, Line, Order, Standing, Taking } from './model.js'
import type { Process } from './process.js'
import { isBooked, require } from './rules.js'
import { offersIn, type SoldBy, saleAt } from './sales.js'
import type { Task } from './scheduler.js'
import { OPERATORS } from './transfers.js'
import type { SimulatedWorld } from './world.js'

const SAME_LEDGER = 'the balance is the model’s, to the dinar and the second'
const AS_AGREED = 'an order stands as it was agreed, until it is sold no more'
const AS_ASKED = 'an order is what was asked for'

/** The model's name of a payment: the provider's, or our own where it has none. */
export function modelId({ payments, entries }: Ledger, paymentId: string): string {
  const payment = payments.find(({ id }) => id === paymentId)
  if (payment?.method !== 'balance') return payment?.checkout ?? paymentId
  const renewals = entries.filter(({ user, kind }) => user === payment.user && kind === 'renewal')
  const place = renewals.findIndex((entry) => entry.payment === paymentId)
  return place < 0 ? paymentId : `renewal ${place + 1}`
}

export function takingsByBalance(
  { payments, entries }: Ledger,
  soldBy: (payment: BookedPayment) => SoldBy,
): readonly Taking[] {
  return payments.flatMap((payment): readonly Taking[] => {
    const { id: checkoutId, user: userId, amount, asked: price, method, paidAt } = payment
    const isBought = entries.some((entry) => entry.payment === checkoutId && entry.kind === 'purchase')
    if (method !== 'balance' || !isBought || paidAt === null) return []
    return [{ ...soldBy(payment), userId, price, amount, method, paidAt, isOurs: true, checkoutId }]
  })
}

type ToldBalance = NonNullable<Ledger['outbox'][number]['balance']>

/** What an event says that a balance went through, but for what follows from payments. */
export function entryOfBalance(
  { entries }: Ledger,
  of: {
    readonly type: string
    readonly balance: ToldBalance
    readonly at: number
    readonly bookedAt: number
  },
): readonly Entry[] {
  const { type, balance, at, bookedAt } = of
  if (type === 'balance.renewal_changed')
    return [{ kind: 'ordered', order: balance.renewal && orderOf(balance.renewal), at, bookedAt }]
  const entry = entries.find(({ id }) => id === balance.entry?.id)
  const kind = entry?.kind === 'correction' ? 'corrected' : entry?.kind
  if (!entry || entry.payment !== null || (kind !== 'corrected' && kind !== 'paid_out')) return []
  return [{ kind, amount: entry.amount, at, bookedAt }]
}

/** By its price, since each is there once. */
function orderOf({ plan, months, price }: NonNullable<ToldBalance['renewal']>): Order {
  const sale = saleAt(price)
  require(sale?.plan === plan && sale.months === months, AS_ASKED, () => `${plan}, ${months} for ${price}`)
  return { plan, months, price, single: sale.single }
}

/** After each step, for each user: the ledger as the model has it, but for renewals not written down yet. */
export function checkBalance(world: SimulatedWorld, userId: string, standing: Standing): void {
  const { ledger, now, quietParts } = world
  const own = ledger.entries.filter(({ user }) => user === userId)
  const shown = ({ kind, amount, after, at, of }: Line) =>
    `${new Date(at).toISOString()} ${kind} ${amount}: ${after} ${of ?? ''}`
  const lines = standing.lines.map(shown)
  const booked = own.map((entry) =>
    shown({ ...entry, of: entry.payment === null ? null : modelId(ledger, entry.payment) }),
  )
  const isSame = booked.every((line, place) => line === lines[place])
  const isComputed = standing.lines.slice(own.length).every(({ kind }) => kind === 'renewal')
  require(isSame && isComputed, SAME_LEDGER, () => `${userId} has ${booked}; the model says ${lines}`)
  own.forEach(({ sequence, before, amount, after }, place) => {
    const isChained = sequence === place + 1 && before === (own[place - 1]?.after ?? 0)
    require(isChained && before + amount === after && after >= 0, SAME_LEDGER, () => `${userId}: ${booked}`)
  })
  const row = ledger.users.find(({ user }) => user === userId)
  require((row?.balance ?? 0) === (own.at(-1)?.after ?? 0), SAME_LEDGER, () =>
    `${userId}: ${row?.balance} is none of ${booked}`)
  const facts = renewed(world.factsOf(userId) ?? NEVER_PAID, now, quietParts.rules)
  require(balanceIn(facts) === standing.balance, SAME_LEDGER, () =>
    `${userId}: computed ${balanceIn(facts)}, the model says ${standing.balance}`)
  checkOrder(world, userId, standing.order)
  checkConserved(world, userId)
  world.figures.count('checked: balance')
}

function checkOrder(world: SimulatedWorld, userId: string, expected: Order | null): void {
  const stored = world.factsOf(userId)?.balance?.order
  const inWords = (plan: string, { months, price }: Pick<Order, 'months' | 'price'>, offered?: number) =>
    `${plan}, ${months} for ${price}, ${offered ?? price} since`
  const is = stored ? inWords(stored.plan.id, stored, stored.offered?.price) : 'none'
  const wanted = expected ? inWords(expected.plan, expected, expected.offered) : 'none'
  require(is === wanted, AS_AGREED, () => `${userId} has ${is}; the model says ${wanted}`)
}

const sum = (amounts: readonly { readonly amount: number }[]) =>
  amounts.reduce((total, { amount }) => total + amount, 0)

function checkConserved({ ledger, refundedTo }: SimulatedWorld, userId: string): void {
  const own = ledger.entries.filter(({ user }) => user === userId)
  const of = (one: Line['kind'], isOf: (payment: string | null) => boolean = () => true) =>
    sum(own.filter(({ kind, payment }) => kind === one && isOf(payment)))
  const booked = ledger.payments.filter((payment) => payment.user === userId && isBooked(payment))
  const cameIn = sum(booked.filter(({ method }) => method !== 'balance')) + of('correction')
  const kept = booked.filter(({ kind, status }) => kind !== 'top_up' && status === 'paid')
  const earned = sum(kept) - of('surplus', (payment) => kept.some(({ id }) => id === payment))
  const owed = own.at(-1)?.after ?? 0
  const back = booked.filter(({ status, id }) => status === 'refunded' && refundedTo.get(id) !== 'balance')
  const givenBack = sum(back) - of('paid_out', (payment) => payment === null)
  require(cameIn === earned + owed + givenBack, 'what came in is earned, owed or given back', () =>
    `${userId}: ${cameIn} came in; ${earned} earned, ${owed} owed, ${givenBack} given back`)
}

export function topUps(world: SimulatedWorld, userId: string): readonly Task[] {
  const { random } = world
  const method = random.boolean(0.2) ? 'transfer' : undefined
  const amount = random.pick([50, 500, 2000, 2300, 5000, 9000, 14_000, 40_000])
  return Array.from({ length: random.pick([1, 1, 2]) }, () => topUp(world, userId, amount, method)).flat()
}

export function topUp(
  world: SimulatedWorld,
  userId: string,
  amount: number,
  method?: 'transfer',
): readonly Task[] {
  const process = world.anyProcess()
  if (!process || world.balanceMax === 0) return []
  const most = world.meanwhile(userId, ({ balance }) => world.balanceMax - balance)
  const rule = 'a balance is topped up to its limit'
  const task = deed(world, process, {
    name: `${userId} tops up ${amount} by ${method ?? 'card'}`,
    start: async (parts) => {
      const asked = { user: { userId }, topUp: amount, locale: 'fr' as const, ...(method && { method }) }
      const { paymentId, checkoutUrl } = await openPayment(parts, asked)
      world.show({ userId, checkoutId: checkoutIn(checkoutUrl) ?? paymentId, paymentId })
      return paymentId
    },
    done: (paymentId) => {
      const payment = world.ledger.payments.find(({ id }) => id === paymentId)
      const isIt = payment?.kind === 'top_up' && payment.user === userId && payment.asked === amount
      require(isIt, 'a click leads to what was chosen', () => `${amount}: ${JSON.stringify(payment)}`)
      require(most().some((one) => amount <= one), rule, () => `${userId} was sold ${amount} of ${most()}`)
    },
    refusals: ['balance_limit_reached', 'too_many_checkouts', 'provider_unavailable', 'conflict'],
    refused: (code) => {
      const isRight = code !== 'balance_limit_reached' || most().some((one) => amount > one)
      require(isRight, rule, () => `${userId} was refused ${amount} of ${most()}`)
    },
  })
  return [task]
}

/** The provider's pages end with the id and a word. */
export const checkoutIn = (url: string | null) => (url ?? '').split('/').at(-2)

export function orders(world: SimulatedWorld, userId: string): readonly Task[] {
  const { random } = world
  const ends = random.boolean(0.15)
  const offers = offersIn(world.edition)
  const cheap = random.boolean(0.7) ? offers[0] : random.pick(offers)
  return order(world, userId, ends || cheap?.code !== null ? null : cheap)
}

export function order(
  world: SimulatedWorld,
  userId: string,
  wanted: Pick<Order, 'plan' | 'months' | 'price'> | null,
): readonly Task[] {
  const process = world.anyProcess()
  if (!process || world.balanceMax === 0) return []
  const set = world.meanwhile(userId, (standing) => standing.order)
  const isIt = (one: Order | null) =>
    one?.plan === wanted?.plan && one?.months === wanted?.months && one?.price === wanted?.price
  const task = deed<unknown>(world, process, {
    name: `${userId} ${wanted ? `orders ${wanted.plan}, ${wanted.months}` : 'ends their order'}`,
    figure: `orders: ${wanted ? 'set' : 'ended'}`,
    start: (parts) =>
      wanted
        ? setOrder(parts, { userId }, { planId: wanted.plan, months: wanted.months })
        : endOrder(parts, { userId }),
    refusals: ['conflict'],
    done: () => require(set().some(isIt), AS_ASKED, () => `${userId}: ${JSON.stringify([wanted, set()])}`),
  })
  return [task]
}

export function bookRenewals(world: SimulatedWorld, process: Process): Task {
  const start = async (parts: Process['parts']) => {
    const count = await bookDueRenewals(parts, 50)
    world.figures.count('renewals of a round of the job', count)
    return count
  }
  return deed(world, process, { name: 'the job books renewals', start })
}

type SavedEvents = { events: readonly { readonly id: string; readonly type: string }[] }

export function holdOrders(world: SimulatedWorld, process: Process): Task {
  const { heldBy, edition, figures } = world
  const start = async (parts: Process['parts']) => {
    // Its event looks like that of a user who ends or sets an order.
    const query: Database['query'] = (statement, parameters) => {
      if (statement.name.startsWith('settlements.save'))
        for (const { events } of JSON.parse(String(parameters?.[0])) as SavedEvents[])
          for (const { id, type } of events) if (type === 'balance.renewal_changed') heldBy.set(id, edition)
      return parts.database.query(statement, parameters)
    }
    const count = await checkOrders({ ...parts, database: { ...parts.database, query } }, 50)
    figures.count('orders that the catalogue changed', count)
  }
  return deed(world, process, { name: 'the job holds orders against what is sold', start })
}

export function checkHeld(world: SimulatedWorld): void {
  for (const userId of world.users) {
    const { order } = world.standingOf(userId)
    const price = order && world.edition[order.plan]?.[order.months]
    require(order === null || price === (order.offered ?? order.price), AS_AGREED, () =>
      `${userId} has ${JSON.stringify(order)}, sold for ${price}`)
  }
}

export interface SaidOfBalance {
  readonly userId: string
  readonly kind: 'correction' | 'paid_out'
  readonly amount: number
  readonly by: string
  isDone: boolean
}

/** An owner puts a balance right or pays out of it; a second one says mostly the same. */
export function movesByHand(world: SimulatedWorld, process: Process, userId: string): readonly Task[] {
  const { random, saidOfBalances } = world
  if (world.balanceMax === 0) return []
  const last = saidOfBalances.at(-1)
  const kind = random.pick(['correction', 'paid_out'] as const)
  const given = random.pick([100, 2000, 12_000])
  const amount = kind === 'paid_out' || random.boolean(0.3) ? -given : given
  const what = last && random.boolean(0.5) ? last : { userId, kind, amount }
  return Array.from({ length: random.pick([1, 1, 2]) }, () =>
    moveByHand(world, world.anyProcess() ?? process, { ...what, by: random.pick(OPERATORS), isDone: false }),
  )
}

function moveByHand(world: SimulatedWorld, process: Process, said: SaidOfBalance): Task {
  const { userId, kind, amount, by } = said
  return deed(world, process, {
    name: `${by} moves the balance of ${userId} by ${amount}: ${kind}`,
    figure: `acts: ${kind}`,
    start: (parts) => {
      world.saidOfBalances.push(said)
      return kind === 'correction'
        ? act(parts, correctBalance, userId, { amount }, by)
        : act(parts, payOutBalance, userId, { amount: -amount }, by)
    },
    refusals: ['balance_too_low', 'conflict', 'not_found'],
    ended: (how) => {
      said.isDone = how === 'done'
    },
  })
}

/** Once for each state of the ledger. */
export function checkByHand({ ledger, saidOfBalances }: SimulatedWorld): void {
  const key = (one: { readonly kind: string; readonly amount: number }, user: string) =>
    `${user} ${one.kind} ${one.amount}`
  const byHand = ledger.entries.filter(({ payment }) => payment === null).map((one) => key(one, one.user))
  const allSaid = saidOfBalances.map((one) => ({ ...one, key: key(one, one.userId) }))
  for (const one of new Set([...byHand, ...allSaid.map((said) => said.key)])) {
    const count = byHand.filter((entry) => entry === one).length
    const said = allSaid.filter((each) => each.key === one)
    const isRight = count >= said.filter(({ isDone }) => isDone).length && count <= said.length
    require(isRight, 'a balance moves by hand as often as it was said', () =>
      `${one}: ${count} times, ${JSON.stringify(said)}`)
  }
}
