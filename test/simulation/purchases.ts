// What users buy and redeem: a month by a click, another term as a payment, perhaps ahead, perhaps with a
// code; and codes that give months. Each answer is checked against what was possible at some moment since the
// task began.
import type { CheckoutRecord } from '../../packages/chargily-emulator/src/records.js'
import type { PaysAtOnce } from '../../packages/ishtirak/src/acts/capability.js'
import { openPayment } from '../../packages/ishtirak/src/checkout/upgrade.js'
import { redeem } from '../../packages/ishtirak/src/codes/redeem.js'
import type { KnownUser } from '../../packages/ishtirak/src/ledger/users.sql.js'
import type { SeededRandom } from '../support/random.js'
import type { MadeCode } from './codes.js'
import { codeOf, withExpectedErrors } from './expected.js'
import { costOfChange, type Entry, isRenewable, mayBuyAhead, standingAfter } from './model.js'
import { LEAST_AMOUNT, type Process } from './process.js'
import { require } from './rules.js'
import { offersIn, priceOf, saleAt } from './sales.js'
import { LONGEST_RUN_MS, type Task } from './scheduler.js'
import type { SimulatedWorld } from './world.js'

/** One to three concurrent clicks, on any process, sometimes for different things. */
export function clicks(world: SimulatedWorld, userId: string): readonly Task[] {
  const { random } = world
  const count = random.pick([1, 1, 1, 1, 2, 3])
  const one = anyWish(world)
  const wishes = random.boolean(0.3) ? [one, anyWish(world)] : [one]
  return Array.from({ length: count }, (_, index) =>
    click(world, userId, wishes[index % wishes.length] ?? one),
  ).flat()
}

/** What a user wants to buy. */
export interface Wish {
  readonly planId: string
  /** Absent: one. */
  readonly months?: number
  /** Absent: a click on "upgrade", which buys nothing ahead. */
  readonly mode?: 'payment'
  /** Absent: as the service takes it: an upgrade to a dearer plan begins now. */
  readonly start?: 'now' | 'end'
  readonly code?: MadeCode
  /** Absent: a card's page. */
  readonly method?: 'transfer' | 'balance'
}

export const A_MONTH: Wish = { planId: 'pro' }

/** Mostly a month; else another term, perhaps with a code. */
function anyWish(world: SimulatedWorld): Wish {
  const { random, codes } = world
  if (random.boolean(0.65)) return random.pick([A_MONTH, A_MONTH, A_MONTH, { planId: 'team' }])
  const given = codes.made.filter(({ isVoucher }) => !isVoucher).slice(-6)
  const made = random.boolean(0.6) && given.length > 0 ? random.pick(given) : undefined
  if (random.boolean(0.3)) {
    const planId = random.pick(['team', 'max'])
    return { planId, mode: 'payment', start: 'now', ...byTransfer(random), ...(made && { code: made }) }
  }
  const offers = offersIn(world.edition).filter(({ code }) => code === (made?.kind ?? null))
  const { plan: planId, months } = random.pick(offers)
  return { planId, months, mode: 'payment', ...(made && { code: made }), ...byTransfer(random) }
}

function byTransfer(random: SeededRandom) {
  const method = random.weighted({ card: 2, transfer: 2, balance: 1 })
  return method === 'card' ? {} : { method }
}

export function click(world: SimulatedWorld, userId: string, wish: Wish): readonly Task[] {
  const process = world.anyProcess()
  if (!process || (wish.method === 'balance' && world.balanceMax === 0)) return []
  const { planId, months = 1, mode, start: begins, code, method } = wish
  const single = world.edition[planId]?.[1] ?? 0
  const price = priceOf({ plan: planId, months, single, code: code?.kind ?? null })
  if (price === undefined) return []
  const rule = mode ? 'what is bought ahead ends within the limit' : A_PURCHASE
  const startedAt = world.now
  const renewable = purchasable(world, userId, wish)
  const mayBuy = () => [...renewable(startedAt), ...renewable(world.now)]
  const changeable = mayChange(world, userId, wish)
  const balances = world.statesOf(userId, ({ balance }) => balance)
  const takesNoCard = new Set(
    world.emulator
      .checkouts()
      .filter(isLeftAtTheBank(world))
      .map(({ id }) => id),
  )
  const refusedCode = code && codeRefusedRightly(world, { userId, method: method ?? 'chargily' }, code)
  const task: Task = {
    name: `${userId} clicks on ${planId}, ${months} by ${code?.batch ?? method}`,
    state: process.state,
    start: async () => {
      const typed = code && { code: code.text }
      const wanted = { user: { userId }, planId, months, locale: 'fr' as const, ...typed }
      const byMethod = method && { method }
      // As the routes take them: a payment is for the end where nothing is said.
      const start = begins ?? (mode ? ('end' as const) : undefined)
      const how = { ...byMethod, start, mode: mode ?? ('upgrade' as const) }
      const opened = await (method === 'balance'
        ? buyAtOnce(process, { ...wanted, start, code: code?.text })
        : openPayment(process.parts, { ...wanted, ...how }))
      const { paymentId } = opened
      const checkoutId = (opened.checkoutUrl ?? '').split('/').at(-2) ?? paymentId
      world.afterwards(() => {
        const payment = world.ledger.payments.find(({ id, user }) => id === paymentId && user === userId)
        const amount = method ? payment?.asked : world.emulator.priceOf(checkoutId)
        // What a change costs is checked where it is seen first.
        const isChange = payment?.kind === 'change'
        // A transfer may be under way: it stays as it was, whatever the catalogue says by now.
        const sale = method && saleAt(amount ?? 0)
        const isOlder = sale && priceOf({ ...sale, single }) === price
        const isChosen = isChange
          ? payment.plan === planId && amount === payment.asked
          : amount === price || isOlder
        require(isChosen === true, 'a click leads to what was chosen', () =>
          `for ${price} ${userId} was shown ${checkoutId} of ${amount}`)
        const mayBe = [...changeable(startedAt), ...changeable(world.now)]
        const isAgain = payment?.method === 'balance' && payment.createdAt < startedAt
        require(isAgain || mayBe.includes(isChange), A_CHANGE, () =>
          `${userId} got ${checkoutId}: ${payment?.kind}`)
        // A repetition within a minute gives what the balance has bought.
        if (payment?.method === 'balance' && payment.createdAt < startedAt) return
        if (!isChange) require(mayBuy().includes(true), rule, () => `${userId} got ${checkoutId}`)
      })
      const rulePage = 'a click leads to a page that takes a card'
      require(!takesNoCard.has(checkoutId), rulePage, () => `${userId} got ${checkoutId}`)
      // A reference is drawn again in each run of a seed, so the journal has none.
      world.show({ userId, checkoutId, paymentId })
      const isInTime = code?.until == null || startedAt < code.until
      require(isInTime, 'no code is used more often than its bound', () => `${code?.batch} is over`)
    },
    ended: (end) => {
      const refusal = end.kind === 'threw' ? codeOf(end.error) : ''
      if (refusal === 'balance_too_low')
        world.afterwards(() => {
          const had = [...balances(startedAt), ...balances(world.now)]
          const isTooLow = begins === 'now' || had.some((one) => one < price)
          require(isTooLow, A_BALANCE, () => `${userId} has ${had} for ${price}`)
        })
      if (refusal === 'code_not_valid') world.afterwards(() => refusedCode?.())
      // Told so in place of a purchase ahead, where what was open has just been paid.
      if (refusal === 'already_subscribed' && mode) world.figures.count('checked: paid while it was replaced')
      else if (refusal === 'already_subscribed' || refusal === 'prepaid_limit_reached')
        world.afterwards(() => require(mayBuy().includes(false), rule, () => `not ${userId}`))
      if (refusal === 'already_subscribed' || refusal === 'no_dearer_plan')
        world.afterwards(() => {
          const mayBe = [...changeable(startedAt), ...changeable(world.now)]
          require(mayBe.includes(false), A_CHANGE, () => `${userId} was refused ${planId}`)
        })
    },
  }
  return [withExpectedErrors(world, task, code ? [...REFUSALS, ...CODE_REFUSALS] : REFUSALS)]
}

/**
 * Whether a purchase was possible at an instant in each state since now: operators and payments change it.
 */
export function purchasable(world: SimulatedWorld, userId: string, { mode, months = 1 }: Wish) {
  const known = world.historyOf(userId).length
  return (at: number): readonly boolean[] =>
    statesSince(world, userId, known).map((history) => {
      const standing = standingAfter(history, at)
      return mode ? mayBuyAhead(standing, at, months, world.prepayMaxMonths) : isRenewable(standing, at)
    })
}

/** Whether it is another plan for the time that is left, in each state since now. */
function mayChange(world: SimulatedWorld, userId: string, { planId: plan, mode, start }: Wish) {
  const known = world.historyOf(userId).length
  const prices = world.edition[plan] ?? {}
  const isAsked = start === 'now' || (start === undefined && mode === undefined)
  return (at: number): readonly boolean[] =>
    statesSince(world, userId, known).map(
      (history) =>
        isAsked &&
        costOfChange(standingAfter(history, at), at, { plan, prices, least: LEAST_AMOUNT }) !== undefined,
    )
}

/** The user's history as it was known, and with each entry since. */
function statesSince(world: SimulatedWorld, userId: string, known: number): readonly (readonly Entry[])[] {
  const history = world.historyOf(userId)
  return Array.from({ length: history.length - known + 1 }, (_, more) => history.slice(0, known + more))
}

async function buyAtOnce({ parts }: Process, wanted: Parameters<PaysAtOnce['buy']>[1] & { user: KnownUser }) {
  const [way] = parts.atOnce
  if (!way) throw new Error('nothing pays at once')
  const { user, ...bought } = wanted
  return { ...(await way.buy({ user }, bought)), checkoutUrl: null }
}

const A_BALANCE = 'the balance pays where it is enough'
const A_CHANGE = 'a dearer plan is sold for the time that is left, and no other'
const A_PURCHASE = 'a purchase is possible from the start of the renewal window'
const REFUSALS = [
  'already_subscribed',
  'no_dearer_plan',
  'balance_too_low',
  'prepaid_limit_reached',
  'too_many_checkouts',
  'provider_unavailable',
  'conflict',
] as const
const CODE_REFUSALS = ['code_not_valid', 'too_many_wrong_codes'] as const

/** For a refusal: the code was over, or had no use left at the start, at the end, or in between. */
function codeRefusedRightly(
  world: SimulatedWorld,
  by: { readonly userId: string; readonly method: string },
  code: MadeCode,
): () => void {
  const { codes } = world
  const isLeft = () => codes.hasUseLeft(code, by, world.ledger)
  const [wasLeft, uses] = [isLeft(), codes.usesOf(code, world.ledger)]
  return () => {
    const isOver = code.until !== null && world.now >= code.until
    const isChanged = uses !== codes.usesOf(code, world.ledger)
    require(isOver || isChanged || !wasLeft || !isLeft(), 'a code with a use left counts', () =>
      `${code.batch} was refused to ${by.userId}`)
    world.figures.count('checked: a code was refused')
  }
}

/** One of the newest codes that give months, by one or two users at once, or twice by one. */
export function redemptions(world: SimulatedWorld, userId: string): readonly Task[] {
  const { random, codes } = world
  const given = codes.made.filter(({ isVoucher }) => isVoucher).slice(-3)
  if (given.length === 0) return []
  const code = random.pick(given)
  const users = random.pick([[userId], [userId, userId], [userId, random.pick(world.users)]])
  return users.flatMap((one) => redemption(world, one, code))
}

export function redemption(world: SimulatedWorld, userId: string, code: MadeCode): readonly Task[] {
  const process = world.anyProcess()
  if (!process) return []
  const refusedRightly = codeRefusedRightly(world, { userId, method: '' }, code)
  const task: Task = {
    name: `${userId} redeems ${code.batch}`,
    state: process.state,
    start: async () => {
      const { grant } = await redeem(process.parts, { userId }, code.text, 'simulation')
      const isThere = () => world.ledger.grants.some(({ id, user }) => id === grant.id && user === userId)
      world.afterwards(() =>
        require(isThere(), 'a code with a use left counts', () => `${grant.id} is not there`),
      )
    },
    ended: (end) => {
      world.figures.count(`redemptions: ${end.kind}`)
      if (end.kind === 'threw' && codeOf(end.error) === 'code_not_valid') world.afterwards(refusedRightly)
    },
  }
  return [withExpectedErrors(world, task, CODE_REFUSALS)]
}

/** A checkout can be paid for half an hour. */
export const LIFETIME_MS = 30 * 60_000

/**
 * Expired but not decided by the bank, so no card can be used there. A click in flight may still have seen it
 * open.
 */
function isLeftAtTheBank({ now }: SimulatedWorld) {
  return ({ status, created_at }: CheckoutRecord): boolean =>
    status === 'processing' && created_at * 1_000 + LIFETIME_MS + LONGEST_RUN_MS <= now
}
