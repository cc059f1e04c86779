// Ends with a phase without faults, after which everything that was paid must be booked.
import { readHistory } from '../../packages/ishtirak/src/checkout/history.js'
import { DAY, HOUR, MINUTE, SECOND } from '../../packages/ishtirak/src/core/instant.js'
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
import { drawFaultRates, type FaultRates, LONGEST_RUN_MS, type Task } from './scheduler.js'
import { proofs } from './transfers.js'
import type { SimulatedWorld } from './world.js'

/** The provider is asked again for a reader after so long. */
const NEXT_LOOK_MS = 10 * SECOND
/** Bounds a seed in which only little time passes at each step. */
const MOST_STEPS = 400

/** The end of a year's term is beyond most seeds. */
const FURTHEST_TURN_MS = 45 * DAY

const LAST_TURNS = 18

/** Users buy first, so that months are counted from the day on which the seed begins. */
const BEGINNING = 6

/** Each with how often it is taken. */
const STEPS = {
  concurrentActions: [8, concurrentActions],
  time: [7, time],
  purchase: [3, purchase],
  payAndReport: [3, payAndReport],
  quietSweep: [1, quietSweep],
  returning: [1, returning],
  slowBank: [1, slowBank],
  historySum: [0.5, historySum],
  codeComesBack: [0.7, codeComesBack],
  codeIsWanted: [0.4, codeIsWanted],
  aheadIsRefunded: [0.6, aheadIsRefunded],
  transferComes: [1, transferComes],
  transferIsShown: [0.8, transferIsShown],
  catalogueChanges: [0.4, catalogueChanges],
  planChanges: [1.5, planChanges],
  balanceRenews: [3, balanceRenews],
  companyComes: [0.8, companyComes],
  midnight: [0.8, midnight],
} as const
// Object.entries loses the type of the keys.
const WEIGHTS = Object.fromEntries(
  Object.entries(STEPS).map(([kind, [weight]]) => [kind, weight]),
) as Readonly<Record<keyof typeof STEPS, number>>

export async function runSteps(world: SimulatedWorld, days: number, signal?: AbortSignal): Promise<void> {
  const endAt = world.now + days * DAY
  await companiesFirst(world)
  for (let step = 1; world.now < endAt && step <= MOST_STEPS; step++) {
    signal?.throwIfAborted()
    const kind = world.random.weighted(step <= BEGINNING ? { concurrentActions: 1 } : WEIGHTS)
    world.note(`${step} ${new Date(world.now).toISOString()} ${kind}`)
    world.figures.count('steps taken')
    const [, take] = STEPS[kind]
    await take(world)
  }
  world.note('the end, without faults')
  await end(world)
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

const LENGTHS = {
  moment: [0, 90 * SECOND],
  minutes: [MINUTE, 45 * MINUTE],
  hours: [HOUR, 30 * HOUR],
  days: [DAY, 12 * DAY],
} as const

async function time(world: SimulatedWorld): Promise<void> {
  const { random } = world
  const turns = world.users.flatMap((userId) =>
    boundariesOf(world.standingOf(userId))
      .filter((at) => at > world.now && at < world.now + FURTHEST_TURN_MS)
      .map((at) => ({ userId, at })),
  )
  const sizes = { moment: 3, minutes: 4, hours: 1, days: 1, turn: turns.length > 0 ? 5 : 0 }
  const size = random.weighted(sizes)
  if (size !== 'turn') {
    const [least, most] = LENGTHS[size]
    return passAndCheck(world, random.between(least, most))
  }
  // The next boundary of a user's paid time; usually the very next, so that most renew before they lapse.
  turns.sort((one, other) => one.at - other.at)
  const turn = (random.boolean(0.8) ? turns[0] : undefined) ?? random.pick(turns)
  world.focus = turn.userId
  const beside = random.pick([-HOUR, -1, 0, 0, 1, MINUTE, 20 * HOUR])
  passAndCheck(world, Math.max(0, turn.at + beside - world.now))
  if (beside === 0 && random.boolean(0.75)) await refundAtBoundary(world, turn.userId)
}

/** Of the term that ends nothing is left to refund; the one that starts is running. */
async function refundAtBoundary(world: SimulatedWorld, userId: string): Promise<void> {
  const candidates = paidBy(world, userId).filter(({ start, end: endAt }) =>
    [start, endAt].includes(world.now),
  )
  if (candidates.length === 0) return
  const process = await processWithoutFaults(world)
  await world.run([refund(world, process, world.random.pick(candidates))])
  world.figures.count('checked: refund at a boundary')
}

/** The user in focus buys if possible: without this few users would reach a third month. */
async function purchase(world: SimulatedWorld): Promise<void> {
  await amidFaults(world, () => click(world, world.focus, A_MONTH))
  if (world.openOf(world.focus).length > 0 && world.random.boolean(0.5)) await payAndReport(world)
}

/** A user pays, and all ways in which the service can learn of it run at once. */
async function payAndReport(world: SimulatedWorld): Promise<void> {
  const { random } = world
  if (world.openOf(world.focus).length === 0) world.focus = random.pick(world.users)
  const [open] = world.openOf(world.focus)
  if (!open) return
  await world.run([payAt(world, open.checkoutId, 'paid', oddPayment(world, open.checkoutId))])
  world.pass(random.pick([0, MINUTE, 2 * MINUTE, 6 * MINUTE]))
  const actions: readonly Action[] = ['webhook', 'status', 'sweep', 'payment', 'click', 'webhook', 'replay']
  await amidFaults(world, () => some(world, actions, 0.7))
}

function passAndCheck(world: SimulatedWorld, ms: number): void {
  world.pass(ms)
  world.checkNow()
}

/** The sweep alone, without faults: what is paid and due must be booked afterwards. */
async function quietSweep(world: SimulatedWorld): Promise<void> {
  const lastSweepAt = world.lastSweepAt
  const process = await processWithoutFaults(world)
  await untilNothingIsFound(world, () => sweep(world, process, 50))
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

/** The sweep asks about a pending payment after about 1, 5, 35 minutes, 6 hours and a day. */
const LOOKS_MS = [MINUTE, 5 * MINUTE, 35 * MINUTE, 6 * HOUR, DAY]
/** A failed look is repeated after two minutes, and a run may take its time. */
const RETRY_MS = 2 * MINUTE + LONGEST_RUN_MS

/** The first look that surely follows the payment: one that began shortly before may have seen nothing. */
function boundOf(world: SimulatedWorld, checkoutId: string, paidAt: number): number {
  const createdAt = (world.emulator.checkout(checkoutId)?.created_at ?? 0) * SECOND
  const look = LOOKS_MS.find((after) => createdAt + after >= paidAt + LONGEST_RUN_MS)
  return createdAt + (look ?? DAY)
}

/** Paid at an address that no user was given, and reported by no event: the reconciliation finds it. */
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
  world.pass(random.between(0, 3 * SECOND))
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
  const overAt = (emulator.checkout(checkoutId)?.created_at ?? 0) * SECOND + LIFETIME_MS + LONGEST_RUN_MS
  passAndCheck(world, overAt - world.now + random.between(0, 5 * MINUTE))
  await amidFaults(world, () => click(world, userId, A_MONTH))
  world.figures.count('checked: a bank that is slow')
}

/** A code of one use is held by a checkout that then dies: after a sweep it counts for others. */
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
  const becomes = random.weighted({ failed: 2, expired: 2, replaced: 2, late: 1 })
  if (becomes === 'replaced') await world.run(click(world, first, { planId: 'team' }))
  else if (becomes === 'expired') passAndCheck(world, LIFETIME_MS + random.between(MINUTE, HOUR))
  else if (open && becomes === 'failed') await world.run([payAt(world, open.checkoutId, 'failed')])
  else if (open) {
    // The provider says first that it failed, then that it was paid.
    const faults = { reorder: { order: 'failed_after_paid' as const } }
    await world.run([payAt(world, open.checkoutId, 'paid', { faults })])
  }
  if (random.boolean(0.6)) await quietSweep(world)
  await amidFaults(world, () => {
    const isReported = random.boolean(0.5)
    return [...click(world, second, wish), ...(isReported ? tasksFor('webhook', world) : [])]
  })
  world.figures.count('checked: a code comes back')
}

async function codeIsWanted(world: SimulatedWorld): Promise<void> {
  const process = await processWithoutFaults(world)
  await world.run([makeCode(world, process, 'quarter')])
  const code = world.codes.made.at(-1)
  if (!code) return
  await amidFaults(world, () => world.users.flatMap((userId) => redemption(world, userId, code)))
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

/** Operators decide on a transfer at once or after its end, perhaps beside a card, while all else goes on. */
async function transferComes(world: SimulatedWorld): Promise<void> {
  const { random, focus } = world
  const faultRates = await amidFaults(world, () => {
    const month = { planId: 'pro', months: 1 }
    const chosen = random.pick([month, month, { planId: 'pro', months: 6 }, { planId: 'team', months: 3 }])
    return click(world, focus, { ...chosen, mode: 'payment', method: 'transfer' })
  })
  if (random.boolean(0.3)) await purchase(world)
  if (random.boolean(0.5)) await world.run(tasksFor('prove', world), faultRates)
  passAndCheck(world, random.pick([0, MINUTE, DAY, 8 * DAY]))
  for (let visit = random.between(1, 3); visit > 0; visit--) {
    await world.revive(faultRates)
    const others: readonly Action[] = ['sweep', 'click', 'accept', 'refund', 'status', 'pay', 'webhook']
    const beside = some(world, others, 0.2)
    await world.run([...tasksFor('decide', world), ...beside], drawFaultRates(random))
  }
  if (random.boolean(0.3)) await quietSweep(world)
  world.figures.count('checked: a transfer comes')
}

/** A user shows a transfer when a run ends; operators decide later, some within the time that it buys. */
async function transferIsShown(world: SimulatedWorld): Promise<void> {
  const { random } = world
  const turns = world.users.flatMap((userId) => {
    const [, end = 0, graceEnd = 0] = boundariesOf(world.standingOf(userId))
    return end > world.now && end < world.now + FURTHEST_TURN_MS ? [{ userId, end, graceEnd }] : []
  })
  if (turns.length === 0) return
  const { userId, end, graceEnd } = random.pick(turns)
  const process = await processWithoutFaults(world)
  passAndCheck(world, Math.max(0, end + random.pick([-DAY, 0, DAY]) - world.now))
  const months = random.pick([1, 1, 6])
  await world.run(click(world, userId, { planId: 'pro', months, mode: 'payment', method: 'transfer' }))
  passAndCheck(world, Math.max(0, graceEnd + random.pick([-HOUR, -1, -1, 0, HOUR]) - world.now))
  await world.run(proofs(world, process, userId))
  passAndCheck(world, random.pick([MINUTE, DAY, 20 * DAY, 40 * DAY]))
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

/** A dearer plan in mid-term: paid early or late, perhaps twice, changed again, refunded in any order. */
async function planChanges(world: SimulatedWorld): Promise<void> {
  const { random } = world
  const candidates = world.users.flatMap((userId) => {
    const { run, endedAt } = world.standingOf(userId)
    const running = endedAt === null ? run.find(({ end: endsAt }) => endsAt > world.now) : undefined
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
    const wish: Wish = { planId, mode: 'payment', start: 'now', ...(method && { method }) }
    const faultRates = await amidFaults(world, () => click(world, userId, wish))
    if (random.boolean(0.2)) await purchase(world)
    const nearEnd = running.end - world.now + random.pick([-HOUR, -1, 0, 1, HOUR])
    const isNear = method && nearEnd > 0 && nearEnd < 7 * DAY
    passAndCheck(world, isNear ? nearEnd : random.pick([0, MINUTE, 25 * MINUTE]))
    if (method) await world.run(tasksFor('decide', world), faultRates)
    else await payAndReport(world)
    if (random.boolean(0.2)) await world.run(tasksFor('second', world), faultRates)
    passAndCheck(world, random.pick([0, HOUR, 3 * DAY]))
  }
  const newest = paidBy(world, userId).slice(-4)
  for (let turn = random.pick([0, 0, 1, 3]); turn > 0 && newest.length > 0; turn--) {
    const process = await processWithoutFaults(world)
    await world.run([refund(world, process, random.pick(newest))], drawFaultRates(random))
  }
  world.figures.count('checked: another plan in mid-term')
}

/** Time passes over the ends at which a standing order buys, mostly without the job. */
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
  passAndCheck(world, random.pick([0, MINUTE]))
  await world.revive(faultRates)
  await world.run([...tasksFor('webhook', world), ...tasksFor('sweep', world)], faultRates)
  if (random.boolean(0.3)) await catalogueChanges(world)
  for (let turn = random.between(1, 3); turn > 0; turn--) {
    const [, end = 0] = boundariesOf(world.standingOf(userId))
    const beside = random.pick([-HOUR, -1, 0, 1, DAY, 4 * DAY, 20 * DAY])
    if (end > world.now && end < world.now + FURTHEST_TURN_MS)
      passAndCheck(world, Math.max(0, end + beside - world.now))
    await world.revive(faultRates)
    const others: readonly Action[] = [
      ...(['renew', 'topUp', 'order', 'click', 'status', 'moveBalance', 'refund'] as const),
      ...(['grant', 'announce', 'webhook', 'pay', 'redeem', 'end'] as const),
    ]
    const tasks = some(world, others, 0.2)
    const paid = paidBy(world, userId)
    const process = world.anyProcess()
    const back = process && paid.length > 0 && random.boolean(0.2)
    await world.run(
      back ? [...tasks, refund(world, process, random.pick(paid))] : tasks,
      drawFaultRates(random),
    )
  }
  world.figures.count('checked: a balance renews')
}

/** What is owed is issued, corrected, asked for and refunded, much of it at once. */
async function companyComes(world: SimulatedWorld): Promise<void> {
  const { random, focus: userId } = world
  if (paidBy(world, userId).length === 0) return
  const process = await processWithoutFaults(world)
  const isNamed = random.boolean(0.8)
  await world.run([nameBuyer(world, process, userId, isNamed ? 'company' : 'person')])
  if (random.boolean(0.5)) await issueAllOwed(world, process)
  else passAndCheck(world, random.pick([0, MINUTE, HOUR]))
  const actions: readonly Action[] = ['issueOwed', 'askInvoice', 'correct', 'correct', 'refund', 'nameBuyer']
  const others: readonly Action[] = ['webhook', 'pay', 'renew', 'sweep']
  await amidFaults(world, () => some(world, [...actions, ...others], 0.4))
  world.figures.count('checked: a company comes')
}

/** What several users have paid is booked about midnight, beside documents that come later. */
async function midnight(world: SimulatedWorld): Promise<void> {
  const { random, users } = world
  const process = await processWithoutFaults(world)
  passAndCheck(world, beforeMidnight(world, 2 * MINUTE))
  const named = users.filter(() => random.boolean(0.5))
  await world.run(named.map((id) => nameBuyer(world, process, id, random.pick(['person', 'company']))))
  await world.run(users.flatMap((userId) => click(world, userId, { ...A_MONTH, mode: 'payment' })))
  const open = users.flatMap((userId) => world.openOf(userId).slice(0, 1))
  await world.run(open.map(({ checkoutId }) => payAt(world, checkoutId, 'paid')))
  passAndCheck(world, beforeMidnight(world, random.between(1, 20) * SECOND))
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
  const sinceMidnight = (now + HOUR + before) % DAY
  return DAY - sinceMidnight
}

/** Reads without asking the provider, so that the check does not change what it checks. */
const NO_LOOK = { loadUser: async () => null }

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
  for (const ms of [40 * MINUTE, 7 * HOUR, 26 * HOUR]) {
    world.pass(ms)
    await quietSweep(world)
  }
  await reconcileAll(world)
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

async function bookAll(world: SimulatedWorld): Promise<void> {
  const process = await processWithoutFaults(world)
  await untilNothingIsFound(world, () => bookRenewals(world, process))
  for (const userId of world.users) {
    const lines = world.standingOf(userId).lines.length
    const booked = world.ledger.entries.filter(({ user }) => user === userId).length
    require(booked === lines, 'the balance is the model’s, to the dinar and the second', () =>
      `${userId}: ${booked} of ${lines} are written down`)
  }
}

/** The daily reconciliation, round by round: it finds even what was paid at an address given to no user. */
async function reconcileAll(world: SimulatedWorld): Promise<void> {
  world.pass(DAY)
  const process = await processWithoutFaults(world)
  await untilNothingIsFound(world, () => {
    world.pass(MINUTE)
    return reconcile(world, process)
  })
  world.figures.count('checked: reconciliation')
}

async function amidFaults(world: SimulatedWorld, tasks: () => readonly Task[]): Promise<FaultRates> {
  const faultRates = drawFaultRates(world.random)
  await world.revive(faultRates)
  await world.run(tasks(), faultRates)
  return faultRates
}

/** Repeats a job of the service, which gives how much it found. */
async function untilNothingIsFound(world: SimulatedWorld, next: () => Task): Promise<void> {
  let found = 0
  do {
    const task = next()
    const start = async () => {
      found = Number(await task.start())
    }
    await world.run([{ ...task, start }])
  } while (found > 0)
}

const some = (world: SimulatedWorld, actions: readonly Action[], probability: number): readonly Task[] =>
  actions.filter(() => world.random.boolean(probability)).flatMap((action) => tasksFor(action, world))

const paidBy = (world: SimulatedWorld, userId: string) =>
  world.ledger.payments.filter(({ user, status: is }) => user === userId && is === 'paid')

async function processWithoutFaults(world: SimulatedWorld): Promise<Process> {
  await world.revive()
  const process = world.anyProcess()
  if (!process) throw new Error('no process is running')
  return process
}
