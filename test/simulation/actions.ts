// What people, sweeps and the post do, each as one task. What comes of it is held against the rule about that deed, with
// what was known when it began and what the books say when everything around it has ended.
import type { CheckoutRecord } from '../../packages/chargily-emulator/src/records.js'
import { announceTime } from '../../packages/ishtirak/src/events/announce-time.js'
import { reconcileDaily } from '../../packages/ishtirak/src/operator/reconcile.js'
import { readHistory, readPayment } from '../../packages/ishtirak/src/payments/history.js'
import { readStatus } from '../../packages/ishtirak/src/payments/status.js'
import { checkDuePayments } from '../../packages/ishtirak/src/payments/sweep.js'
import { upgrade } from '../../packages/ishtirak/src/payments/upgrade.js'
import { receiveEvent } from '../../packages/ishtirak/src/payments/webhook.js'
import { type OddPayment, PRICES } from './emulator.js'
import { codeOf, judged } from './expected.js'
import { isRenewable, standingAfter } from './model.js'
import { OPERATOR_DEEDS, operatorTasks } from './operator-actions.js'
import type { Process } from './process.js'
import { faultsOfEvents } from './provider-errors.js'
import { require } from './rules.js'
import { LONGEST_RUN_MS, OUTSIDE, type Task } from './scheduler.js'
import type { World } from './world.js'

export const DEEDS = {
  click: 6,
  pay: 6,
  leak: 0.3,
  second: 0.8,
  status: 3,
  history: 1,
  payment: 1,
  sweep: 3,
  announce: 1,
  compare: 0.5,
  letter: 7,
  replay: 1,
  forgery: 0.5,
  ...OPERATOR_DEEDS,
} as const
export type Deed = keyof typeof DEEDS

/** The tasks of one deed, or none where the world gives no occasion for it. */
export function tasksFor(deed: Deed, world: World): readonly Task[] {
  if (deed === 'pay' || deed === 'leak') return payOpen(world, deed)
  if (deed === 'second') return paySecond(world)
  const process = world.anyProcess()
  if (deed === 'letter' || deed === 'replay' || deed === 'forgery') return letters(world, process, deed)
  if (!process) return []
  const userId = world.anyUser()
  switch (deed) {
    case 'click':
      return clicks(world, userId)
    case 'status':
      return [status(world, process, userId)]
    case 'history':
      return [history(world, process, userId)]
    case 'payment':
      return payment(world, process)
    case 'sweep':
      return [sweep(world, process, 5)]
    case 'announce':
      return [announce(world, process)]
    case 'compare':
      return [compare(world, process)]
    default:
      return operatorTasks(deed, world, process)
  }
}

/** One to three clicks at once, on any of the processes; now and then on two plans. */
function clicks(world: World, userId: string): readonly Task[] {
  const count = world.dice.pick([1, 1, 1, 1, 2, 3])
  const plans = world.dice.pick([['pro'], ['pro'], ['pro'], ['pro'], ['team'], ['pro', 'team']])
  return Array.from({ length: count }, (_, index) =>
    click(world, userId, plans[index % plans.length] ?? 'pro'),
  ).flat()
}

export function click(world: World, userId: string, planId: string): readonly Task[] {
  const process = world.anyProcess()
  if (!process) return []
  const rule = 'nobody buys before the window, anybody within'
  const startedAt = world.now
  const known = world.historyOf(userId).length
  /** What could be bought at this instant in each state that the user was in since: acts and payments change it. */
  const renewable = (at: number) => {
    const history = world.historyOf(userId)
    const states = Array.from({ length: history.length - known + 1 }, (_, more) => known + more)
    return states.map((length) => isRenewable(standingAfter(history.slice(0, length)), at))
  }
  const takesNoCard = new Set(
    world.far
      .checkouts()
      .filter(isLeftAtTheBank(world))
      .map(({ id }) => id),
  )
  const task: Task = {
    name: `${userId} clicks on ${planId}`,
    life: process.life,
    start: async () => {
      const opened = await upgrade(process.parts, { user: { userId }, planId, locale: 'fr' })
      const checkoutId = opened.checkoutUrl.split('/').at(-2) ?? ''
      const isWanted = world.far.priceOf(checkoutId) === PRICES[planId]
      require(isWanted, 'nothing fails but as promised', () =>
        `for ${planId} ${userId} was shown ${checkoutId}`)
      const rulePage = 'who clicks is shown a page that takes a card'
      require(!takesNoCard.has(checkoutId), rulePage, () => `${userId} got ${checkoutId}`)
      world.show({ userId, checkoutId, paymentId: opened.paymentId })
      world.afterwards(() =>
        require(renewable(world.now).includes(true), rule, () => `${userId} got ${checkoutId}`),
      )
    },
    ended: (end) => {
      const isRefused = end.kind === 'threw' && codeOf(end.error) === 'already_subscribed'
      if (isRefused)
        world.afterwards(() => require(renewable(startedAt).includes(false), rule, () => `not ${userId}`))
    },
  }
  return [
    judged(world, task, ['already_subscribed', 'too_many_checkouts', 'provider_unavailable', 'conflict']),
  ]
}

/** Somebody with the address of an open checkout acts on its page. A leak: an address that we gave to nobody. */
function payOpen(world: World, deed: 'pay' | 'leak'): readonly Task[] {
  const open = world.far.checkouts().filter(({ status }) => status === 'pending')
  const payable = open.filter(({ id }) => world.isShown(id) === (deed === 'pay'))
  if (payable.length === 0) return []
  const { id } = world.dice.pick(payable)
  if (deed === 'leak') return [payAt(world, id, 'paid')]
  return [payAt(world, id, world.dice.weighed({ paid: 8, failed: 1, canceled: 1 }), oddPayment(world, id))]
}

/** What is wrong with the telling, or with the sum; never both, so that the API shows the truth of one at a time. */
export function oddPayment({ dice, far }: World, checkoutId: string): OddPayment {
  if (!dice.chance(0.2)) return { faults: faultsOfEvents(dice) }
  const price = far.priceOf(checkoutId) ?? 0
  const other = Object.values(PRICES).find((one) => one !== price) ?? 1
  return { amount: dice.pick([price + 1, price - 1, price * 10, 50, other]) }
}

/** How long ago a checkout was made whose request may still be repeated on the way. */
const REPEATED_WITHIN_MS = 10 * 60_000

/** The request of a checkout arrives twice: there is a second one for the same intent, and somebody pays it as well. */
function paySecond(world: World): readonly Task[] {
  const { dice, far } = world
  const fresh = ({ id, created_at }: CheckoutRecord) =>
    world.isShown(id) && created_at * 1_000 + REPEATED_WITHIN_MS > world.now
  const candidates = far.checkouts().filter(fresh)
  if (candidates.length === 0) return []
  const { id: firstId } = dice.pick(candidates)
  const odd = dice.chance(0.1) ? oddPayment(world, firstId) : {}
  const start = async () => {
    const secondId = await far.repeat(firstId)
    world.figures.count('faults: a second checkout of one intent')
    if (dice.chance(0.8)) await payAt(world, secondId, 'paid', { ...odd, faults: {} }).start()
  }
  return [{ name: `the request of ${firstId} arrives twice`, life: OUTSIDE, start }]
}

/** A checkout can be paid for half an hour. */
export const LIFETIME_MS = 30 * 60_000

/** Its time is over and the bank has not decided: nothing can be paid there. Longer ago than a click may take. */
function isLeftAtTheBank({ now }: World) {
  return ({ status, created_at }: CheckoutRecord): boolean =>
    status === 'processing' && created_at * 1_000 + LIFETIME_MS + LONGEST_RUN_MS <= now
}

export function payAt(
  world: World,
  checkoutId: string,
  outcome: 'paid' | 'failed' | 'canceled',
  odd: OddPayment = {},
): Task {
  const { dice, far, figures } = world
  const start = async () => {
    const taken = far.pay(checkoutId, outcome, dice.pick(['edahabia', 'cib'] as const), odd)
    world.note(`      ${taken ? 'done' : 'too late'} ${JSON.stringify(odd)}`)
    figures.count(`payments: ${taken ? outcome : 'too late'}`)
    for (const fault of Object.keys(odd.faults ?? {})) figures.count(`faults: event ${fault}`)
    if (taken && odd.amount !== undefined) figures.count('faults: another amount')
  }
  return { name: `payer: ${outcome} at ${checkoutId}`, life: OUTSIDE, start }
}

export function status(world: World, { life, parts }: Process, userId: string): Task {
  return judged(
    world,
    { name: `${userId} reads his status`, life, start: () => readStatus(parts, userId) },
    [],
  )
}

function history(world: World, { life, parts }: Process, userId: string): Task {
  const start = () => readHistory(parts, { userId, limit: 2, cursor: null, status: null })
  return judged(world, { name: `${userId} reads his history`, life, start }, [])
}

function payment(world: World, { life, parts }: Process): readonly Task[] {
  if (world.shown.length === 0) return []
  const { userId, paymentId } = world.dice.pick(world.shown)
  const start = () => readPayment(parts, { userId, paymentId })
  return [judged(world, { name: `${userId} reads ${paymentId}`, life, start }, [])]
}

export function sweep(world: World, { life, parts }: Process, limit: number): Task {
  const start = async () => {
    const done = await checkDuePayments(parts, limit)
    world.figures.count('looks of the sweep', done)
    return done
  }
  return judged(world, { name: 'sweep', life, start, ended: () => world.swept() }, [])
}

/** The platform is told what time has done: events of the same sequence, with the same guard. */
function announce(world: World, { life, parts }: Process): Task {
  return judged(world, { name: 'announce', life, start: () => announceTime(parts, 50) }, [])
}

/** One round of the daily comparison with the provider's list; gives 0 when there is nothing to compare. */
export function compare(world: World, { life, parts }: Process): Task {
  return judged(world, { name: 'compare', life, start: () => reconcileDaily(parts) }, [])
}

/** What the post has for us now, an old letter again, or a forged one. With nobody at home they go back. */
function letters(
  world: World,
  process: Process | null,
  deed: 'letter' | 'replay' | 'forgery',
): readonly Task[] {
  const { post, dice } = world
  const single = { letter: () => undefined, replay: () => post.old(), forgery: () => post.forge() }[deed]()
  const chosen = deed === 'letter' ? post.due(world.now, dice.between(1, 3)) : single ? [single] : []
  if (!process) {
    for (const letter of chosen) post.answered(letter, { kind: 'killed' }, world.now)
    return []
  }
  return chosen.map((letter) => {
    const { life, parts } = world.anyProcess() ?? process
    post.bring(letter)
    const task: Task = {
      name: `webhook ${letter.eventId}`,
      life,
      start: () => receiveEvent(parts, Buffer.from(letter.body), letter.signature),
      ended: (end) => post.answered(letter, end, world.now),
    }
    return judged(world, task, letter.isGenuine ? [] : ['invalid_signature'])
  })
}
