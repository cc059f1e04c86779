// The life of one seed: steps of people, post, sweeps and time in a changing weather, until the days are over; then calm,
// in which everything that was paid must be found.
import { readHistory } from '../../packages/ishtirak/src/payments/history.js'
import {
  click,
  compare,
  DEEDS,
  type Deed,
  LIFETIME_MS,
  oddPayment,
  payAt,
  status,
  sweep,
  tasksFor,
} from './actions.js'
import { boundariesOf, type Taking } from './model.js'
import { refund } from './operator-actions.js'
import type { Process } from './process.js'
import { isAccountedFor, type RuleName, require } from './rules.js'
import { LONGEST_RUN_MS, type Task } from './scheduler.js'
import { CALM, weatherOf } from './fault-rates.js'
import type { World } from './world.js'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Small steps of time must not keep a seed from ending. */
const MOST_STEPS = 400

/** People buy first: the day that a seed begins on should be the day that months are counted from. */
const BEGINNING = 6
const KINDS = {
  crowd: 8,
  time: 7,
  purchase: 3,
  rush: 3,
  quietSweep: 1,
  returning: 1,
  slowBank: 1,
  historySum: 0.5,
}

export async function live(world: World, days: number): Promise<void> {
  const endAt = world.now + days * DAY_MS
  for (let step = 1; world.now < endAt && step <= MOST_STEPS; step++) {
    const kind = world.dice.weighed(step <= BEGINNING ? { crowd: 1 } : KINDS)
    world.note(`${step} ${new Date(world.now).toISOString()} ${kind}`)
    world.figures.count('steps taken')
    await STEPS[kind](world)
  }
  world.note('the end, in calm')
  await end(world)
}

const STEPS = { crowd, time, purchase, rush, quietSweep, returning, slowBank, historySum }

async function crowd(world: World): Promise<void> {
  const { dice } = world
  const weather = weatherOf(dice)
  world.note(`  ${weather.name}`)
  world.figures.count(`weather: ${weather.name}`)
  if (dice.chance(0.8)) await world.revive(weather)
  const tasks: Task[] = []
  for (let count = dice.between(1, 4); count > 0; count--) tasks.push(...tasksFor(dice.weighed(DEEDS), world))
  await world.run(tasks, weather)
}

async function time(world: World): Promise<void> {
  const { dice } = world
  const turns = world.users.flatMap((userId) =>
    boundariesOf(world.standingOf(userId))
      .filter((at) => at > world.now)
      .map((at) => ({ userId, at })),
  )
  const sizes = { moment: 3, minutes: 4, hours: 1, days: 1, turn: turns.length > 0 ? 5 : 0 }
  switch (dice.weighed(sizes)) {
    case 'moment':
      return passAndCheck(world, dice.between(0, 90 * SECOND_MS))
    case 'minutes':
      return passAndCheck(world, dice.between(MINUTE_MS, 45 * MINUTE_MS))
    case 'hours':
      return passAndCheck(world, dice.between(HOUR_MS, 30 * HOUR_MS))
    case 'days':
      return passAndCheck(world, dice.between(DAY_MS, 12 * DAY_MS))
    case 'turn': {
      // The next turn of somebody's paid time; usually the very next, so that most renew before they lapse.
      turns.sort((one, other) => one.at - other.at)
      const turn = (dice.chance(0.8) ? turns[0] : undefined) ?? dice.pick(turns)
      world.focus = turn.userId
      const beside = dice.pick([-HOUR_MS, -1, 0, 0, 1, MINUTE_MS, 20 * HOUR_MS])
      passAndCheck(world, Math.max(0, turn.at + beside - world.now))
      if (beside === 0 && dice.chance(0.75)) await refundEnding(world, turn.userId)
    }
  }
}

/** A refund at the very instant at which its month is over: that month was used, and nothing of it is left to take. */
async function refundEnding(world: World, userId: string): Promise<void> {
  const payment = world.books.payments.find(
    ({ user, status: is, end: endAt }) => user === userId && is === 'paid' && endAt === world.now,
  )
  if (!payment) return
  const process = await calmProcess(world)
  await world.run([refund(world, process, payment)])
  world.figures.count('checked: refund at a month’s end')
}

/** Whoever has reason to buys, if he may: without it few would live long enough to see their third month. */
async function purchase(world: World): Promise<void> {
  const weather = weatherOf(world.dice)
  await world.revive(weather)
  await world.run(click(world, world.focus, 'pro'), weather)
  if (world.openOf(world.focus).length > 0 && world.dice.chance(0.5)) await rush(world)
}

/** Somebody pays, and everything that could learn of it does so at once. */
async function rush(world: World): Promise<void> {
  const { dice } = world
  if (world.openOf(world.focus).length === 0) world.focus = dice.pick(world.users)
  const [open] = world.openOf(world.focus)
  if (!open) return
  await world.run([payAt(world, open.checkoutId, 'paid', oddPayment(world, open.checkoutId))])
  world.pass(dice.pick([0, MINUTE_MS, 2 * MINUTE_MS, 6 * MINUTE_MS]))
  const weather = weatherOf(dice)
  await world.revive(weather)
  const deeds: readonly Deed[] = ['letter', 'status', 'sweep', 'payment', 'click', 'letter', 'replay']
  await world.run(
    deeds.filter(() => dice.chance(0.7)).flatMap((deed) => tasksFor(deed, world)),
    weather,
  )
}

function passAndCheck(world: World, ms: number): void {
  world.pass(ms)
  world.checkNow()
}

/** The sweep alone, with nothing in its way: now what is paid and due must be booked. */
async function quietSweep(world: World): Promise<void> {
  const lastSweepAt = world.lastSweepAt
  const process = await calmProcess(world)
  let looks = 0
  do {
    const task = sweep(world, process, 50)
    const start = async () => {
      looks = Number(await task.start())
    }
    await world.run([{ ...task, start }])
  } while (looks > 0)
  for (const taking of world.far.takings()) {
    const dueAt = Math.max(boundOf(world, taking.checkoutId, taking.paidAt), lastSweepAt) + RETRY_MS
    const isDue = world.now >= dueAt && !isUntoldLeak(world, taking.checkoutId)
    if (isDue) requireAccounted(world, taking)
  }
  world.figures.count('checked: sweep’s bound')
}

/** spec.md section 2: pending payments are re-read after about 1, 5, 35 minutes, 6 hours and a day. */
const LOOKS_MS = [MINUTE_MS, 5 * MINUTE_MS, 35 * MINUTE_MS, 6 * HOUR_MS, DAY_MS]
/** A look that failed is repeated after two minutes, and a run may take its time. */
const RETRY_MS = 2 * MINUTE_MS + LONGEST_RUN_MS

/** The first look that comes surely after the payment: one that began shortly before may have seen nothing yet. */
function boundOf(world: World, checkoutId: string, paidAt: number): number {
  const createdAt = (world.far.checkout(checkoutId)?.created_at ?? 0) * SECOND_MS
  const look = LOOKS_MS.find((after) => createdAt + after >= paidAt + LONGEST_RUN_MS)
  return createdAt + (look ?? DAY_MS)
}

/** Paid at an address that we gave to nobody, and no event told us: the daily comparison with the provider finds it. */
function isUntoldLeak(world: World, checkoutId: string): boolean {
  return !world.isShown(checkoutId) && !world.post.acknowledgedCheckouts.has(checkoutId)
}

function requireAccounted(
  world: World,
  taking: Taking,
  rule: RuleName = 'the paid are booked within the sweep’s bound',
): void {
  const { checkoutId } = taking
  const payment = world.books.payments.find(({ checkout }) => checkout === checkoutId)
  require(isAccountedFor(world.books, taking), rule, () =>
    `${JSON.stringify(taking)} is ${JSON.stringify(payment)}`)
}

/** Pays and comes back at once, with no webhook yet: whoever looks at his newest payment sees it paid. */
async function returning(world: World): Promise<void> {
  const { dice, far } = world
  const candidates = world.users.flatMap((userId) => {
    const newest = world.books.payments.filter(({ user }) => user === userId).at(-1)
    const wasAsked = newest?.askedAt !== null && (newest?.askedAt ?? 0) > world.now - 10 * SECOND_MS
    const isOpen = newest?.status === 'pending' && far.checkout(newest.checkout ?? '')?.status === 'pending'
    return newest?.checkout && isOpen && !wasAsked ? [{ userId, checkoutId: newest.checkout }] : []
  })
  if (candidates.length === 0) return
  const { userId, checkoutId } = dice.pick(candidates)
  const process = await calmProcess(world)
  await world.run([payAt(world, checkoutId, 'paid')])
  world.pass(dice.between(0, 3 * SECOND_MS))
  await world.run([status(world, process, userId)])
  const isBooked = world.books.payments.some(
    ({ checkout, status: is }) => checkout === checkoutId && is === 'paid',
  )
  require(isBooked, 'who returns from paying sees it', () => `${userId}, ${checkoutId}`)
  world.figures.count('checked: returning')
}

/** The bank is still at it when the time of the checkout is over, and its payer clicks once more. */
async function slowBank(world: World): Promise<void> {
  const { dice, far } = world
  const open = world.shown.filter(({ checkoutId }) => far.checkout(checkoutId)?.status === 'pending')
  if (open.length === 0) return
  const { userId, checkoutId } = dice.pick(open)
  const faults = { processing: { seconds: dice.pick([2_400, 4 * 3_600]) } }
  await world.run([payAt(world, checkoutId, dice.weighed({ paid: 2, failed: 1 }), { faults })])
  const overAt = (far.checkout(checkoutId)?.created_at ?? 0) * SECOND_MS + LIFETIME_MS + LONGEST_RUN_MS
  passAndCheck(world, overAt - world.now + dice.between(0, 5 * MINUTE_MS))
  const weather = weatherOf(dice)
  await world.revive(weather)
  await world.run(click(world, userId, 'pro'), weather)
  world.figures.count('checked: a bank that is slow')
}

/** Reading without asking the provider: what is checked must not be changed by the looking. */
const NO_LOOK = { loadUser: async () => null }

/** The history, page by page, holds what was booked and what was given back, and nothing else. */
async function historySum(world: World): Promise<void> {
  for (const userId of world.users) {
    const entries = world.historyOf(userId)
    const back = new Set(entries.flatMap((entry) => (entry.kind === 'refunded' ? entry.checkoutId : [])))
    for (const status of ['paid', 'refunded'] as const) {
      const takings = entries.flatMap((entry) => (entry.kind === 'paid' ? entry.taking : []))
      const booked = takings
        .filter(({ checkoutId }) => back.has(checkoutId) === (status === 'refunded'))
        .reduce((total, { price }) => total + price, 0)
      const sum = await sumOfPages(world, userId, status)
      require(sum === booked, 'history sums to the takings', () =>
        `${userId}: ${status} ${sum}, booked ${booked}`)
    }
  }
  world.figures.count('checked: history')
}

async function sumOfPages(world: World, userId: string, status: 'paid' | 'refunded'): Promise<number> {
  let sum = 0
  let cursor: string | null = null
  do {
    const request = { userId, limit: 2, cursor, status }
    const page = await readHistory({ ...world.quietParts, ...NO_LOOK }, request)
    for (const { price } of page.payments) sum += price.amount
    cursor = page.nextCursor
  } while (cursor !== null)
  return sum
}

async function end(world: World): Promise<void> {
  for (const ms of [40 * MINUTE_MS, 7 * HOUR_MS, 26 * HOUR_MS]) {
    world.pass(ms)
    await quietSweep(world)
  }
  await compareAll(world)
  for (const taking of world.far.takings())
    requireAccounted(world, taking, 'what was taken is booked, under review or refunded')
  await historySum(world)
  // Nothing happens any more but time: access ends where the paid time and its grace end.
  const boundaries = world.users.flatMap((userId) => boundariesOf(world.standingOf(userId)))
  for (const boundary of boundaries.sort((one, other) => one - other)) {
    for (const beside of [-1, 0])
      if (boundary + beside > world.now) passAndCheck(world, boundary + beside - world.now)
  }
}

/** The daily comparison, round by round: it finds even what was paid at an address that we gave to nobody. */
async function compareAll(world: World): Promise<void> {
  world.pass(DAY_MS)
  const process = await calmProcess(world)
  let calls = 0
  do {
    world.pass(MINUTE_MS)
    const task = compare(world, process)
    const start = async () => {
      calls = Number(await task.start())
    }
    await world.run([{ ...task, start }])
  } while (calls > 0)
  world.figures.count('checked: comparison')
}

async function calmProcess(world: World): Promise<Process> {
  await world.revive(CALM)
  const process = world.anyProcess()
  if (!process) throw new Error('nothing dies in calm')
  return process
}
