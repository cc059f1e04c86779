// Each answer is checked against what was possible at some moment since the task began.
import { openPayment } from '../../packages/ishtirak/src/checkout/upgrade.js'
import { redeem } from '../../packages/ishtirak/src/codes/redeem.js'
import type { ErrorCode } from '../../packages/ishtirak/src/core/error.js'
import type { SeededRandom } from '../support/random.js'
import { checkoutIn } from './balances.js'
import type { MadeCode } from './codes.js'
import { deed } from './expected.js'
import { costOfChange, isRenewable, mayBuyAhead, type Standing } from './model.js'
import { LEAST_AMOUNT, type Parts } from './process.js'
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

export interface Wish {
  readonly planId: string
  readonly months?: number
  /** Absent: a click on "upgrade", which buys nothing ahead. */
  readonly mode?: 'payment'
  /** Absent: as the service takes it: an upgrade to a dearer plan begins now. */
  readonly start?: 'now' | 'end'
  readonly code?: MadeCode
  readonly method?: 'transfer' | 'balance'
}

export const A_MONTH: Wish = { planId: 'pro' }

function anyWish(world: SimulatedWorld): Wish {
  const { random, codes } = world
  if (random.boolean(0.65)) return random.pick([A_MONTH, A_MONTH, A_MONTH, { planId: 'team' }])
  const given = codes.made.filter(({ isVoucher }) => !isVoucher).slice(-6)
  const made = random.boolean(0.6) && given.length > 0 ? random.pick(given) : undefined
  if (random.boolean(0.3)) {
    const planId = random.pick(['team', 'max'])
    return { planId, mode: 'payment', start: 'now', ...anyMethod(random), ...(made && { code: made }) }
  }
  const offers = offersIn(world.edition).filter(({ code }) => code === (made?.kind ?? null))
  const { plan: planId, months } = random.pick(offers)
  return { planId, months, mode: 'payment', ...(made && { code: made }), ...anyMethod(random) }
}

function anyMethod(random: SeededRandom) {
  const method = random.weighted({ card: 2, transfer: 2, balance: 1 })
  return method === 'card' ? {} : { method }
}

const REFUSALS: readonly ErrorCode[] = [
  ...(['already_subscribed', 'no_dearer_plan', 'balance_too_low', 'prepaid_limit_reached'] as const),
  ...(['too_many_checkouts', 'provider_unavailable', 'conflict'] as const),
]
const CODE_REFUSALS = ['code_not_valid', 'too_many_wrong_codes'] as const
const IN_LIMIT = 'what is bought ahead ends within the limit'
const IN_WINDOW = 'a purchase is possible from the start of the renewal window'
const A_CHANGE = 'a dearer plan is sold for the time that is left, and no other'

export function click(world: SimulatedWorld, userId: string, wish: Wish): readonly Task[] {
  const process = world.anyProcess()
  if (!process || (wish.method === 'balance' && world.balanceMax === 0)) return []
  const { planId, months = 1, code, method } = wish
  const single = world.edition[planId]?.[1] ?? 0
  const price = priceOf({ plan: planId, months, single, code: code?.kind ?? null })
  if (price === undefined) return []
  const startedAt = world.now
  const checks = checksOf(world, userId, wish, { price, single })
  const checkouts = world.emulator.checkouts()
  const takesNoCard = new Set(checkouts.filter((one) => isLeftAtTheBank(world, one)).map(({ id }) => id))
  const task = deed(world, process, {
    name: `${userId} clicks on ${planId}, ${months} by ${code?.batch ?? method}`,
    start: async (parts) => {
      const { paymentId, checkoutUrl } = await buy(parts, userId, wish)
      const checkoutId = checkoutIn(checkoutUrl) ?? paymentId
      const rulePage = 'a click leads to a page that takes a card'
      require(!takesNoCard.has(checkoutId), rulePage, () => `${userId} got ${checkoutId}`)
      // A reference is drawn again in each run of a seed, so the journal has none.
      world.show({ userId, checkoutId, paymentId })
      const isBeforeItsEnd = code?.until == null || startedAt < code.until
      require(isBeforeItsEnd, 'no code is used more often than its bound', () => `${code?.batch} is over`)
      return { paymentId, checkoutId }
    },
    done: checks.bought,
    refusals: code ? [...REFUSALS, ...CODE_REFUSALS] : REFUSALS,
    refused: checks.refused,
  })
  return [task]
}

async function buy(parts: Parts, userId: string, wish: Wish) {
  const { planId, months = 1, mode, code, method } = wish
  const wanted = { planId, months, locale: 'fr' as const }
  // As the routes take them: a payment is for the end where nothing is said.
  const start = wish.start ?? (mode ? ('end' as const) : undefined)
  if (method === 'balance') {
    const [way] = parts.atOnce
    if (!way) throw new Error('nothing pays at once')
    const bought = await way.buy({ user: { userId } }, { ...wanted, start, code: code?.text })
    return { ...bought, checkoutUrl: null }
  }
  const how = { ...(method && { method }), ...(code && { code: code.text }) }
  return openPayment(parts, { user: { userId }, ...wanted, ...how, start, mode: mode ?? 'upgrade' })
}

function checksOf(
  world: SimulatedWorld,
  userId: string,
  wish: Wish,
  { price, single }: { readonly price: number; readonly single: number },
) {
  const { planId, mode, start, code, method } = wish
  const startedAt = world.now
  const mayBuy = world.meanwhile(userId, mayBeBought(world, wish))
  const to = { plan: planId, prices: world.edition[planId] ?? {}, least: LEAST_AMOUNT }
  const isAsked = start === 'now' || (start === undefined && mode === undefined)
  const changeable = world.meanwhile(
    userId,
    (standing, at) => isAsked && costOfChange(standing, at, to) !== undefined,
  )
  const balances = world.meanwhile(userId, ({ balance }) => balance)
  const refusedCode = code && codeRefusedRightly(world, { userId, method: method ?? 'chargily' }, code)
  const rule = mode ? IN_LIMIT : IN_WINDOW
  return {
    bought: ({ paymentId, checkoutId }: { readonly paymentId: string; readonly checkoutId: string }) => {
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
      // A repetition within a minute gives what the balance has bought.
      if (payment?.method === 'balance' && payment.createdAt < startedAt) return
      require(changeable().includes(isChange), A_CHANGE, () =>
        `${userId} got ${checkoutId}: ${payment?.kind}`)
      if (!isChange) require(mayBuy().includes(true), rule, () => `${userId} got ${checkoutId}`)
    },
    refused: (code: string) => {
      if (code === 'balance_too_low') {
        const isTooLow = start === 'now' || balances().some((one) => one < price)
        require(isTooLow, 'the balance pays where it is enough', () =>
          `${userId} has ${balances()} for ${price}`)
      }
      if (code === 'code_not_valid') refusedCode?.()
      // Told so in place of a purchase ahead, where what was open has just been paid.
      if (code === 'already_subscribed' && mode) world.figures.count('checked: paid while it was replaced')
      else if (code === 'already_subscribed' || code === 'prepaid_limit_reached')
        require(mayBuy().includes(false), rule, () => `not ${userId}`)
      if (code === 'already_subscribed' || code === 'no_dearer_plan')
        require(changeable().includes(false), A_CHANGE, () => `${userId} was refused ${planId}`)
    },
  }
}

export function mayBeBought({ prepayMaxMonths }: SimulatedWorld, { mode, months = 1 }: Wish) {
  return (standing: Standing, at: number) =>
    mode ? mayBuyAhead(standing, at, months, prepayMaxMonths) : isRenewable(standing, at)
}

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
  const task = deed(world, process, {
    ...{ name: `${userId} redeems ${code.batch}`, figure: 'redemptions:', refusals: CODE_REFUSALS },
    start: (parts) => redeem(parts, { userId }, { typed: code.text }, 'simulation'),
    done: ({ grant }) => {
      const isThere = world.ledger.grants.some(({ id, user }) => id === grant.id && user === userId)
      require(isThere, 'a code with a use left counts', () => `${grant.id} is not there`)
    },
    refused: (refusal) => (refusal === 'code_not_valid' ? refusedRightly() : undefined),
  })
  return [task]
}

export const LIFETIME_MS = 30 * 60_000

/** Expired and undecided by the bank, so it takes no card. A click in flight may still have seen it open. */
function isLeftAtTheBank(
  { now }: SimulatedWorld,
  { status, created_at }: { readonly status: string; readonly created_at: number },
): boolean {
  return status === 'processing' && created_at * 1_000 + LIFETIME_MS + LONGEST_RUN_MS <= now
}
