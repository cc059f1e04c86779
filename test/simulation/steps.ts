// The steps of one seed: users, webhooks, sweeps and time with changing fault rates until the days are over,
// then a phase without faults, after which everything that was paid must be booked.
import { readHistory } from '../../packages/ishtirak/src/checkout/history.js'
import { ACTIONS, type Action, oddPayment, payAt, reconcile, status, sweep, tasksFor } from './actions.js'
import { bookRenewals, checkHeld, holdOrders, order, topUp } from './balances.js'
import { changeAtDesk } from './desk.js'
import { askInvoice, correctInvoice, issueAllOwed, nameBuyer } from './documents.js'
import { boundariesOf, type Taking } from './model.js'
import { makeCode, refund } from './operator-actions.js'
import type { Process } from './process.js'
import { A_MONTH, click, LIFETIME_MS, redemption, type Wish } from './purchases.js'
import { isAccountedFor, require } from './rules.js'
import { EDITIONS, offersIn } from './sales.js'
import { drawFaultRates, LONGEST_RUN_MS, type Task } from './scheduler.js'
import { proofs } from './transfers.js'
import type { SimulatedWorld } from './world.js'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The provider is asked again for a reader after so long. */
const NEXT_LOOK_MS = 10 * SECOND_MS
/** Bounds a seed in which only little time passes at each step. */
const MOST_STEPS = 400

/** The end of a year's term is beyond most seeds. */
const FURTHEST_TURN_MS = 45 * DAY_MS

/** So many ends, windows and ends of grace are seen without any job, at the end. */
const LAST_TURNS = 18

/** Users buy first, so that months are counted from the day on which the seed begins. */
const BEGINNING = 6
const KINDS = {
  concurrentActions: 8,
  time: 7,
  purchase: 3,
  payAndReport: 3,
  quietSweep: 1,
  returning: 1,
  slowBank: 1,
  historySum: 0.5,
  codeComesBack: 0.7,
  codeIsWanted: 0.4,
  aheadIsRefunded: 0.6,
  transferComes: 1,
  transferIsShown: 0.8,
  catalogueChanges: 0.4,
  planChanges: 1.5,
  balanceRenews: 3,
  companyComes: 0.8,
  midnight: 0.8,
}

export async function runSteps(world: SimulatedWorld, days: number, signal?: AbortSignal): Promise<void> {
  const endAt = world.now + days * DAY_MS
  await companiesFirst(world)
  for (let step = 1; world.now < endAt && step <= MOST_STEPS; step++) {
    signal?.throwIfAborted()
    const kind = world.random.weighted(step <= BEGINNING ? { concurrentActions: 1 } : KINDS)
    world.note(`${step} ${new Date(world.now).toISOString()} ${kind}`)
    world.figures.count('steps taken')
    await STEPS[kind](world)
  }
  world.note('the end, without faults')
  await end(world)
}

const STEPS = {
  concurrentActions,
  time,
  purchase,
  payAndReport,
  quietSweep,
  returning,
  slowBank,
  historySum,
  codeComesBack,
  codeIsWanted,
  aheadIsRefunded,
  transferComes,
  transferIsShown,
  catalogueChanges,
  planChanges,
  balanceRenews,
  companyComes,
  midnight,
}

/** Some users have given their details before anything is sold. */
async function companiesFirst(world: SimulatedWorld): Promise<void> {
  const random = world.random.stream('companies')
  const process = await processWithoutFaults(world)
  const named = world.users.filter(() => random.boolean(0.35))
  await world.run(named.map((userId) => nameBuyer(world, process, userId, 'company')))
}

async function concurrentActions(world: SimulatedWorld): Promise<void> {
  const { random } = world
  const faultRates = drawFaultRates(random)
  world.note(`  ${faultRates.name}`)
  world.figures.count(`fault rates: ${faultRates.name}`)
  if (random.boolean(0.8)) await world.revive(faultRates)
  const tasks: Task[] = []
  for (let count = random.between(1, 4); count > 0; count--)
    tasks.push(...tasksFor(random.weighted(ACTIONS), world))
  await world.run(tasks, faultRates)
}

async function time(world: SimulatedWorld): Promise<void> {
  const { random } = world
  const turns = world.users.flatMap((userId) =>
    boundariesOf(world.standingOf(userId))
      .filter((at) => at > world.now && at < world.now + FURTHEST_TURN_MS)
      .map((at) => ({ userId, at })),
  )
  const sizes = { moment: 3, minutes: 4, hours: 1, days: 1, turn: turns.length > 0 ? 5 : 0 }
  switch (random.weighted(sizes)) {
    case 'moment':
      return passAndCheck(world, random.between(0, 90 * SECOND_MS))
    case 'minutes':
      return passAndCheck(world, random.between(MINUTE_MS, 45 * MINUTE_MS))
    case 'hours':
      return passAndCheck(world, random.between(HOUR_MS, 30 * HOUR_MS))
    case 'days':
      return passAndCheck(world, random.between(DAY_MS, 12 * DAY_MS))
    case 'turn': {
      // The next boundary of a user's paid time; usually the very next, so that most renew before they lapse.
      turns.sort((one, other) => one.at - other.at)
      const turn = (random.boolean(0.8) ? turns[0] : undefined) ?? random.pick(turns)
      world.focus = turn.userId
      const beside = random.pick([-HOUR_MS, -1, 0, 0, 1, MINUTE_MS, 20 * HOUR_MS])
      passAndCheck(world, Math.max(0, turn.at + beside - world.now))
      if (beside === 0 && random.boolean(0.75)) await refundAtBoundary(world, turn.userId)
    }
  }
}

/**
 * A refund at the instant at which one term ends and the next starts: of the term that ends, which was used,
 * so nothing is left to refund; or of the one that starts, which is running.
 */
async function refundAtBoundary(world: SimulatedWorld, userId: string): Promise<void> {
  const paid = world.ledger.payments.filter(({ user, status: is }) => user === userId && is === 'paid')
  const candidates = paid.filter(({ start, end: endAt }) => [start, endAt].includes(world.now))
  if (candidates.length === 0) return
  const process = await processWithoutFaults(world)
  await world.run([refund(world, process, world.random.pick(candidates))])
  world.figures.count('checked: refund at a boundary')
}

/** The user in focus buys if possible: without this few users would reach a third month. */
async function purchase(world: SimulatedWorld): Promise<void> {
  const faultRates = drawFaultRates(world.random)
  await world.revive(faultRates)
  await world.run(click(world, world.focus, A_MONTH), faultRates)
  if (world.openOf(world.focus).length > 0 && world.random.boolean(0.5)) await payAndReport(world)
}

/** A user pays, and all ways in which the service can learn of it run at once. */
async function payAndReport(world: SimulatedWorld): Promise<void> {
  const { random } = world
  if (world.openOf(world.focus).length === 0) world.focus = random.pick(world.users)
  const [open] = world.openOf(world.focus)
  if (!open) return
  await world.run([payAt(world, open.checkoutId, 'paid', oddPayment(world, open.checkoutId))])
  world.pass(random.pick([0, MINUTE_MS, 2 * MINUTE_MS, 6 * MINUTE_MS]))
  const faultRates = drawFaultRates(random)
  await world.revive(faultRates)
  const actions: readonly Action[] = ['webhook', 'status', 'sweep', 'payment', 'click', 'webhook', 'replay']
  await world.run(
    actions.filter(() => random.boolean(0.7)).flatMap((action) => tasksFor(action, world)),
    faultRates,
  )
}

function passAndCheck(world: SimulatedWorld, ms: number): void {
  world.pass(ms)
  world.checkNow()
}

/** The sweep alone, without faults: what is paid and due must be booked afterwards. */
async function quietSweep(world: SimulatedWorld): Promise<void> {
  const lastSweepAt = world.lastSweepAt
  const process = await processWithoutFaults(world)
  let looks = 0
  do {
    const task = sweep(world, process, 50)
    const start = async () => {
      looks = Number(await task.start())
    }
    await world.run([{ ...task, start }])
  } while (looks > 0)
  for (const taking of world.takings()) {
    const { checkoutId, paidAt, isOurs } = taking
    // An approval is due at once.
    const bound = isOurs ? paidAt : boundOf(world, checkoutId, paidAt)
    const isDue =
      world.now >= Math.max(bound, lastSweepAt) + RETRY_MS && (isOurs || !isUnreportedLeak(world, checkoutId))
    if (isDue) requireAccounted(world, taking)
  }
  world.figures.count('checked: sweep’s bound')
}

/** spec.md section 2: pending payments are re-read after about 1, 5, 35 minutes, 6 hours and a day. */
const LOOKS_MS = [MINUTE_MS, 5 * MINUTE_MS, 35 * MINUTE_MS, 6 * HOUR_MS, DAY_MS]
/** A failed look is repeated after two minutes, and a run may take its time. */
const RETRY_MS = 2 * MINUTE_MS + LONGEST_RUN_MS

/**
 * The first look that surely follows the payment: one that began shortly before may have seen nothing yet.
 */
function boundOf(world: SimulatedWorld, checkoutId: string, paidAt: number): number {
  const createdAt = (world.emulator.checkout(checkoutId)?.created_at ?? 0) * SECOND_MS
  const look = LOOKS_MS.find((after) => createdAt + after >= paidAt + LONGEST_RUN_MS)
  return createdAt + (look ?? DAY_MS)
}

/**
 * Paid at an address that the service gave to no user, and reported by no event: the daily reconciliation
 * finds it.
 */
function isUnreportedLeak(world: SimulatedWorld, checkoutId: string): boolean {
  return !world.isShown(checkoutId) && !world.webhooks.acknowledgedCheckouts.has(checkoutId)
}

function requireAccounted(
  world: SimulatedWorld,
  taking: Taking,
  rule = 'a paid checkout is booked within the sweep’s bound',
): void {
  const { checkoutId } = taking
  const payment = world.ledger.payments.find(({ checkout }) => checkout === checkoutId)
  require(isAccountedFor(world.ledger, taking), rule, () =>
    `${JSON.stringify(taking)} is ${JSON.stringify(payment)}`)
}

/** A user pays and returns at once, before any webhook: reading the status finds the payment. */
async function returning(world: SimulatedWorld): Promise<void> {
  const { random, emulator } = world
  const candidates = world.users.flatMap((userId) => {
    const newest = world.ledger.payments.filter(({ user }) => user === userId).at(-1)
    const wasAsked = newest?.askedAt !== null && (newest?.askedAt ?? 0) > world.now - NEXT_LOOK_MS
    const isOpen =
      newest?.status === 'pending' && emulator.checkout(newest.checkout ?? '')?.status === 'pending'
    return newest?.checkout && isOpen && !wasAsked ? [{ userId, checkoutId: newest.checkout }] : []
  })
  if (candidates.length === 0) return
  const { userId, checkoutId } = random.pick(candidates)
  const process = await processWithoutFaults(world)
  await world.run([payAt(world, checkoutId, 'paid')])
  world.pass(random.between(0, 3 * SECOND_MS))
  await world.run([status(world, process, userId)])
  const isBooked = world.ledger.payments.some(
    ({ checkout, status: is }) => checkout === checkoutId && is === 'paid',
  )
  require(isBooked, 'a returning user sees the payment', () => `${userId}, ${checkoutId}`)
  world.figures.count('checked: returning')
}

/** The bank is still processing when the checkout expires, and the user clicks once more. */
async function slowBank(world: SimulatedWorld): Promise<void> {
  const { random, emulator } = world
  const open = world.shown.filter(({ checkoutId }) => emulator.checkout(checkoutId)?.status === 'pending')
  if (open.length === 0) return
  const { userId, checkoutId } = random.pick(open)
  const faults = { processing: { seconds: random.pick([2_400, 4 * 3_600]) } }
  await world.run([payAt(world, checkoutId, random.weighted({ paid: 2, failed: 1 }), { faults })])
  const overAt = (emulator.checkout(checkoutId)?.created_at ?? 0) * SECOND_MS + LIFETIME_MS + LONGEST_RUN_MS
  passAndCheck(world, overAt - world.now + random.between(0, 5 * MINUTE_MS))
  const faultRates = drawFaultRates(random)
  await world.revive(faultRates)
  await world.run(click(world, userId, A_MONTH), faultRates)
  world.figures.count('checked: a bank that is slow')
}

/**
 * A code of one use is held by a checkout that then dies, in one way or another: after a sweep it counts for
 * others.
 */
async function codeComesBack(world: SimulatedWorld): Promise<void> {
  const { random } = world
  const process = await processWithoutFaults(world)
  await world.run([makeCode(world, process, 'less')])
  const [first, second] = [world.focus, random.pick(world.users)]
  const code = world.codes.made.at(-1)
  if (!code) return
  const wish: Wish = { planId: 'pro', months: 1, mode: 'payment', code }
  await world.run(click(world, first, wish))
  const open = world.openOf(first).at(-1)
  switch (random.weighted({ failed: 2, expired: 2, replaced: 2, late: 1 })) {
    case 'failed':
      if (open) await world.run([payAt(world, open.checkoutId, 'failed')])
      break
    case 'late':
      // The provider says first that it failed, then that it was paid.
      if (open)
        await world.run([
          payAt(world, open.checkoutId, 'paid', { faults: { reorder: { order: 'failed_after_paid' } } }),
        ])
      break
    case 'replaced':
      await world.run(click(world, first, { planId: 'team' }))
      break
    case 'expired':
      passAndCheck(world, LIFETIME_MS + random.between(MINUTE_MS, HOUR_MS))
  }
  if (random.boolean(0.6)) await quietSweep(world)
  const faultRates = drawFaultRates(random)
  await world.revive(faultRates)
  await world.run(
    random.boolean(0.5)
      ? [...click(world, second, wish), ...tasksFor('webhook', world)]
      : click(world, second, wish),
    faultRates,
  )
  world.figures.count('checked: a code comes back')
}

/** Several users redeem a code of one use at once. */
async function codeIsWanted(world: SimulatedWorld): Promise<void> {
  const process = await processWithoutFaults(world)
  await world.run([makeCode(world, process, 'quarter')])
  const code = world.codes.made.at(-1)
  if (!code) return
  const faultRates = drawFaultRates(world.random)
  await world.revive(faultRates)
  await world.run(
    world.users.flatMap((userId) => redemption(world, userId, code)),
    faultRates,
  )
  world.figures.count('checked: a code that several users want')
}

/** A user buys a month ahead, and when it starts it is refunded, or the month before. */
async function aheadIsRefunded(world: SimulatedWorld): Promise<void> {
  const { random } = world
  const startOf = (userId: string) => {
    const { run, endedAt } = world.standingOf(userId)
    return endedAt === null ? (run.at(-1)?.end ?? 0) : 0
  }
  const candidates = world.users.filter(
    (userId) => startOf(userId) > world.now && startOf(userId) < world.now + FURTHEST_TURN_MS,
  )
  if (candidates.length === 0) return
  const userId = random.pick(candidates)
  const start = startOf(userId)
  const process = await processWithoutFaults(world)
  await world.run(click(world, userId, { planId: 'pro', months: 1, mode: 'payment' }))
  const open = world.openOf(userId).at(-1)
  if (!open) return
  await world.run([payAt(world, open.checkoutId, 'paid')])
  passAndCheck(world, NEXT_LOOK_MS)
  await world.run([status(world, process, userId)])
  if (start < world.now) return
  passAndCheck(world, start - world.now)
  await refundAtBoundary(world, userId)
}

/**
 * A transfer, perhaps beside a card, of which operators say something at once or after its end, while all
 * else goes on.
 */
async function transferComes(world: SimulatedWorld): Promise<void> {
  const { random, focus } = world
  const faultRates = drawFaultRates(random)
  await world.revive(faultRates)
  const [planId, months] = random.pick([
    ['pro', 1],
    ['pro', 1],
    ['pro', 6],
    ['team', 3],
  ] as const)
  await world.run(click(world, focus, { planId, months, mode: 'payment', method: 'transfer' }), faultRates)
  if (random.boolean(0.3)) await purchase(world)
  if (random.boolean(0.5)) await world.run(tasksFor('prove', world), faultRates)
  passAndCheck(world, random.pick([0, MINUTE_MS, DAY_MS, 8 * DAY_MS]))
  for (let visit = random.between(1, 3); visit > 0; visit--) {
    await world.revive(faultRates)
    const others: readonly Action[] = ['sweep', 'click', 'accept', 'refund', 'status', 'pay', 'webhook']
    const beside = others.filter(() => random.boolean(0.2)).flatMap((action) => tasksFor(action, world))
    await world.run([...tasksFor('decide', world), ...beside], drawFaultRates(random))
  }
  if (random.boolean(0.3)) await quietSweep(world)
  world.figures.count('checked: a transfer comes')
}

/**
 * A run ends, its user shows a transfer about then, and the operators come to it later: some within the time
 * that it buys.
 */
async function transferIsShown(world: SimulatedWorld): Promise<void> {
  const { random } = world
  const turns = world.users.flatMap((userId) => {
    const [, end = 0, graceEnd = 0] = boundariesOf(world.standingOf(userId))
    return end > world.now && end < world.now + FURTHEST_TURN_MS ? [{ userId, end, graceEnd }] : []
  })
  if (turns.length === 0) return
  const { userId, end, graceEnd } = random.pick(turns)
  const process = await processWithoutFaults(world)
  passAndCheck(world, Math.max(0, end + random.pick([-DAY_MS, 0, DAY_MS]) - world.now))
  const months = random.pick([1, 1, 6])
  await world.run(click(world, userId, { planId: 'pro', months, mode: 'payment', method: 'transfer' }))
  passAndCheck(world, Math.max(0, graceEnd + random.pick([-HOUR_MS, -1, -1, 0, HOUR_MS]) - world.now))
  await world.run(proofs(world, process, userId))
  passAndCheck(world, random.pick([MINUTE_MS, DAY_MS, 20 * DAY_MS, 40 * DAY_MS]))
  for (let visit = 2; visit > 0; visit--) await world.run(tasksFor('decide', world), drawFaultRates(random))
  world.figures.count('checked: a transfer is shown')
}

/** Orders are held against what is sold by then, and some users agree to another price. */
async function catalogueChanges(world: SimulatedWorld): Promise<void> {
  const { random } = world
  world.sell(random.pick(EDITIONS))
  const process = await processWithoutFaults(world)
  await world.check()
  if (random.boolean(0.5)) {
    // What was due is booked in the first round.
    for (let round = 2; round > 0; round--) await world.run([holdOrders(world, process)])
    checkHeld(world)
    for (const userId of world.users) {
      const { order: stands } = world.standingOf(userId)
      if (stands?.offered === undefined || random.boolean(0.5)) continue
      await world.run(order(world, userId, { ...stands, price: stands.offered }))
      world.figures.count('checked: another price is agreed')
    }
  }
  world.figures.count('checked: another catalogue')
}

/**
 * A dearer plan in mid-term: paid early or late, perhaps twice, changed again, and refunded in order or not.
 */
async function planChanges(world: SimulatedWorld): Promise<void> {
  const { random } = world
  const candidates = world.users.flatMap((userId) => {
    const [running] = runningOf(world, userId)
    return running ? [{ userId, running }] : []
  })
  if (candidates.length === 0) return
  const { userId, running } = random.pick(candidates)
  world.focus = userId
  for (let turn = random.between(1, 2); turn > 0; turn--) {
    if (random.boolean(0.2)) {
      await world.revive()
      await world.run(changeAtDesk(world, userId), drawFaultRates(random))
      continue
    }
    const planId = random.pick(['team', 'max'])
    const method = random.boolean(0.3) ? ('transfer' as const) : undefined
    const faultRates = drawFaultRates(random)
    await world.revive(faultRates)
    await world.run(
      click(world, userId, { planId, mode: 'payment', start: 'now', ...(method && { method }) }),
      faultRates,
    )
    if (random.boolean(0.2)) await purchase(world)
    const nearEnd = running.end - world.now + random.pick([-HOUR_MS, -1, 0, 1, HOUR_MS])
    const isNear = method && nearEnd > 0 && nearEnd < 7 * DAY_MS
    passAndCheck(world, isNear ? nearEnd : random.pick([0, MINUTE_MS, 25 * MINUTE_MS]))
    if (method) await world.run(tasksFor('decide', world), faultRates)
    else await payAndReport(world)
    if (random.boolean(0.2)) await world.run(tasksFor('second', world), faultRates)
    passAndCheck(world, random.pick([0, HOUR_MS, 3 * DAY_MS]))
  }
  const paid = world.ledger.payments.filter(({ user, status: is }) => user === userId && is === 'paid')
  const newest = paid.slice(-4)
  for (let turn = random.pick([0, 0, 1, 3]); turn > 0 && newest.length > 0; turn--) {
    const process = await processWithoutFaults(world)
    await world.run([refund(world, process, random.pick(newest))], drawFaultRates(random))
  }
  world.figures.count('checked: another plan in mid-term')
}

/**
 * A user tops up and orders, and time passes over the ends at which it buys, mostly without the job, while
 * the catalogue changes and payments are refunded, some to the balance.
 */
async function balanceRenews(world: SimulatedWorld): Promise<void> {
  const { random, focus: userId } = world
  if (world.balanceMax === 0) return
  const faultRates = drawFaultRates(random)
  await world.revive(faultRates)
  const amount = random.pick([2300, 4600, 9000])
  await world.run(topUp(world, userId, amount), faultRates)
  const open = world.openOf(userId).at(-1)
  if (open) await world.run([payAt(world, open.checkoutId, 'paid')])
  const offers = offersIn(world.edition).filter(({ code, price }) => code === null && price <= amount)
  const wanted = random.boolean(0.7) ? offers[0] : random.pick(offers)
  if (wanted && random.boolean(0.8)) await world.run(order(world, userId, wanted), faultRates)
  passAndCheck(world, random.pick([0, MINUTE_MS]))
  await world.revive(faultRates)
  await world.run([...tasksFor('webhook', world), ...tasksFor('sweep', world)], faultRates)
  if (random.boolean(0.3)) await catalogueChanges(world)
  for (let turn = random.between(1, 3); turn > 0; turn--) {
    const [, end = 0] = boundariesOf(world.standingOf(userId))
    const beside = random.pick([-HOUR_MS, -1, 0, 1, DAY_MS, 4 * DAY_MS, 20 * DAY_MS])
    if (end > world.now && end < world.now + FURTHEST_TURN_MS)
      passAndCheck(world, Math.max(0, end + beside - world.now))
    await world.revive(faultRates)
    const others: readonly Action[] = [
      ...(['renew', 'topUp', 'order', 'click', 'status', 'moveBalance', 'refund'] as const),
      ...(['grant', 'announce', 'webhook', 'pay', 'redeem', 'end'] as const),
    ]
    const tasks = others.filter(() => random.boolean(0.2)).flatMap((action) => tasksFor(action, world))
    const paid = world.ledger.payments.filter(({ user, status: is }) => user === userId && is === 'paid')
    const process = world.anyProcess()
    const back = process && paid.length > 0 && random.boolean(0.2)
    await world.run(
      back ? [...tasks, refund(world, process, random.pick(paid))] : tasks,
      drawFaultRates(random),
    )
  }
  world.figures.count('checked: a balance renews')
}

/**
 * A user who has bought gives the details of a company; what is owed is issued, corrected, asked for and
 * refunded, much of it at once.
 */
async function companyComes(world: SimulatedWorld): Promise<void> {
  const { random, focus: userId } = world
  if (!world.ledger.payments.some(({ user, status: is }) => user === userId && is === 'paid')) return
  const process = await processWithoutFaults(world)
  const isNamed = random.boolean(0.8)
  await world.run([nameBuyer(world, process, userId, isNamed ? 'company' : 'person')])
  if (random.boolean(0.5)) await issueAllOwed(world, process)
  else passAndCheck(world, random.pick([0, MINUTE_MS, HOUR_MS]))
  const faultRates = drawFaultRates(random)
  await world.revive(faultRates)
  const actions: readonly Action[] = ['issueOwed', 'askInvoice', 'correct', 'correct', 'refund', 'nameBuyer']
  const others: readonly Action[] = ['webhook', 'pay', 'renew', 'sweep']
  await world.run(
    [...actions, ...others].filter(() => random.boolean(0.4)).flatMap((action) => tasksFor(action, world)),
    faultRates,
  )
  world.figures.count('checked: a company comes')
}

/** What several users have paid is booked about midnight, beside documents that come later. */
async function midnight(world: SimulatedWorld): Promise<void> {
  const { random, users } = world
  const process = await processWithoutFaults(world)
  passAndCheck(world, beforeMidnight(world, 2 * MINUTE_MS))
  const named = users.filter(() => random.boolean(0.5))
  await world.run(named.map((id) => nameBuyer(world, process, id, random.pick(['person', 'company']))))
  await world.run(users.flatMap((userId) => click(world, userId, { ...A_MONTH, mode: 'payment' })))
  const open = users.flatMap((userId) => world.openOf(userId).slice(0, 1))
  await world.run(open.map(({ checkoutId }) => payAt(world, checkoutId, 'paid')))
  passAndCheck(world, beforeMidnight(world, random.between(1, 20) * SECOND_MS))
  const faultRates = { ...drawFaultRates(random), slow: 0.3 }
  await world.revive(faultRates)
  const anyProcess = () => world.anyProcess() ?? process
  const looks = users.map((userId) => status(world, anyProcess(), userId))
  const paid = world.ledger.payments.filter(({ status: is }) => is === 'paid').slice(-4)
  const asked = paid.flatMap((payment) => [
    askInvoice(world, anyProcess(), payment),
    ...(random.boolean(0.3) ? [correctInvoice(world, anyProcess(), payment.id)] : []),
  ])
  const actions: readonly Action[] = ['webhook', 'issueOwed', 'refund']
  await world.run([...looks, ...asked, ...actions.flatMap((action) => tasksFor(action, world))], faultRates)
  world.figures.count('checked: about midnight')
}

/** To the instant so long before the next midnight in Algiers, which is at 23:00 UTC. */
function beforeMidnight({ now }: SimulatedWorld, before: number): number {
  const sinceMidnight = (now + HOUR_MS + before) % DAY_MS
  return DAY_MS - sinceMidnight
}

/** What a user has that is not over, where access was not ended. */
function runningOf(world: SimulatedWorld, userId: string) {
  const { run, endedAt } = world.standingOf(userId)
  return endedAt === null ? run.filter(({ end: endsAt }) => endsAt > world.now) : []
}

/** Reads without asking the provider, so that the check does not change what it checks. */
const NO_LOOK = { loadUser: async () => null }

/** The pages of the history contain exactly what was booked and refunded. */
async function historySum(world: SimulatedWorld): Promise<void> {
  for (const userId of world.users) {
    const entries = world.historyOf(userId)
    const back = new Set(entries.flatMap((entry) => (entry.kind === 'refunded' ? entry.checkoutId : [])))
    for (const status of ['paid', 'refunded'] as const) {
      const takings = entries.flatMap((entry) => ('taking' in entry ? entry.taking : []))
      const renewals = renewalsBooked(world, userId)
      const booked = [...takings, ...renewals]
        .filter(({ checkoutId }) => back.has(checkoutId) === (status === 'refunded'))
        .reduce((total, { amount }) => total + amount, 0)
      const sum = await sumOfPages(world, userId, status)
      require(sum === booked, 'the history sums to the takings', () =>
        `${userId}: ${status} ${sum}, booked ${booked}`)
    }
  }
  world.figures.count('checked: history')
}

/** As the model has them, of those that are written down. */
function renewalsBooked(world: SimulatedWorld, userId: string) {
  const isRenewal = ({ kind }: { readonly kind: string }) => kind === 'renewal'
  const count = world.ledger.entries.filter((one) => one.user === userId && isRenewal(one)).length
  const lines = world.standingOf(userId).lines.filter(isRenewal).slice(0, count)
  return lines.map(({ of, amount }) => ({ checkoutId: of ?? '', amount: -amount }))
}

async function sumOfPages(
  world: SimulatedWorld,
  userId: string,
  status: 'paid' | 'refunded',
): Promise<number> {
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

async function end(world: SimulatedWorld): Promise<void> {
  for (const ms of [40 * MINUTE_MS, 7 * HOUR_MS, 26 * HOUR_MS]) {
    world.pass(ms)
    await quietSweep(world)
  }
  await compareAll(world)
  for (const taking of world.takings())
    requireAccounted(world, taking, 'what was taken is booked, under review or refunded')
  await historySum(world)
  await issueAllOwed(world, await processWithoutFaults(world))
  // Only time passes from here: access ends where the paid time and its grace period end.
  for (let turn = 0; turn < LAST_TURNS; turn++) {
    const boundaries = world.users.flatMap((userId) => boundariesOf(world.standingOf(userId)))
    const next = Math.min(...boundaries.filter((boundary) => boundary > world.now))
    if (!Number.isFinite(next)) break
    for (const beside of [-1, 0])
      if (next + beside > world.now) passAndCheck(world, next + beside - world.now)
  }
  await bookAll(world)
  await issueAllOwed(world, await processWithoutFaults(world))
}

/** What was computed for months is written down, and nothing else. */
async function bookAll(world: SimulatedWorld): Promise<void> {
  const process = await processWithoutFaults(world)
  let count = 0
  do {
    const task = bookRenewals(world, process)
    const start = async () => {
      count = Number(await task.start())
    }
    await world.run([{ ...task, start }])
  } while (count > 0)
  for (const userId of world.users) {
    const lines = world.standingOf(userId).lines.length
    const booked = world.ledger.entries.filter(({ user }) => user === userId).length
    require(booked === lines, 'the balance is the model’s, to the dinar and the second', () =>
      `${userId}: ${booked} of ${lines} are written down`)
  }
}

/** The daily reconciliation, round by round: it finds even what was paid at an address given to no user. */
async function compareAll(world: SimulatedWorld): Promise<void> {
  world.pass(DAY_MS)
  const process = await processWithoutFaults(world)
  let calls = 0
  do {
    world.pass(MINUTE_MS)
    const task = reconcile(world, process)
    const start = async () => {
      calls = Number(await task.start())
    }
    await world.run([{ ...task, start }])
  } while (calls > 0)
  world.figures.count('checked: reconciliation')
}

async function processWithoutFaults(world: SimulatedWorld): Promise<Process> {
  await world.revive()
  const process = world.anyProcess()
  if (!process) throw new Error('no process is running')
  return process
}
