// Each result is checked against the state at its start and the ledger after all concurrent tasks.
import type { Faults } from '../../packages/chargily-emulator/src/faults.js'
import { readHistory, refreshed } from '../../packages/ishtirak/src/checkout/history.js'
import { readStatus } from '../../packages/ishtirak/src/checkout/status.js'
import { checkDuePayments } from '../../packages/ishtirak/src/checkout/sweep.js'
import { receiveEvent } from '../../packages/ishtirak/src/checkout/webhook.js'
import { announceTime } from '../../packages/ishtirak/src/events/announce-time.js'
import { findPayment } from '../../packages/ishtirak/src/ledger/payments.sql.js'
import { reconcileDaily } from '../../packages/ishtirak/src/reconciliation/reconcile.js'
import type { SeededRandom } from '../support/random.js'
import { bookRenewals, holdOrders, orders, topUps } from './balances.js'
import { askInvoices, issueOwed, nameBuyer } from './documents.js'
import type { OddPayment } from './emulator.js'
import { deed } from './expected.js'
import { OPERATOR_ACTIONS, type OperatorAction, operatorTasks } from './operator-actions.js'
import type { Process } from './process.js'
import { clicks, redemptions } from './purchases.js'
import { OFFERS } from './sales.js'
import { OUTSIDE, type Task } from './scheduler.js'
import { proofs } from './transfers.js'
import type { SimulatedWorld } from './world.js'

export const ACTIONS = {
  ...{ click: 6, redeem: 1.5, prove: 0.7, topUp: 1.2, order: 0.8, renew: 1.5, holdOrders: 0.5 },
  ...{ nameBuyer: 0.6, askInvoice: 1, issueOwed: 0.7, pay: 6, leak: 0.3, second: 0.8, status: 3 },
  ...{ history: 1, payment: 1, sweep: 3, announce: 1, reconcile: 0.5, webhook: 7, replay: 1, forgery: 0.5 },
  ...OPERATOR_ACTIONS,
} as const
export type Action = keyof typeof ACTIONS

/** The tasks of one action; none if the action is impossible at the moment. */
export function tasksFor(action: Action, world: SimulatedWorld): readonly Task[] {
  if (action === 'pay' || action === 'leak') return payOpen(world, action)
  if (action === 'second') return paySecond(world)
  const process = world.anyProcess()
  if (action === 'webhook' || action === 'replay' || action === 'forgery')
    return receiveWebhooks(world, process, action)
  if (!process) return []
  const tasks = OF_PROCESSES[action]
  // The other actions are the operators'.
  const userId = world.anyUser()
  return tasks ? tasks(world, process, userId) : operatorTasks(action as OperatorAction, world, process)
}

type TasksOf = (world: SimulatedWorld, process: Process, userId: string) => readonly Task[]

const OF_PROCESSES: Readonly<Record<string, TasksOf>> = {
  click: (world, _, userId) => clicks(world, userId),
  redeem: (world, _, userId) => redemptions(world, userId),
  topUp: (world, _, userId) => topUps(world, userId),
  order: (world, _, userId) => orders(world, userId),
  renew: (world, process) => (world.random.boolean(world.jobRuns) ? [bookRenewals(world, process)] : []),
  holdOrders: (world, process) => [holdOrders(world, process)],
  nameBuyer: (world, process, userId) => [nameBuyer(world, process, userId)],
  askInvoice: askInvoices,
  issueOwed: (world, process) => [issueOwed(world, process)],
  prove: (world, process) => proofs(world, process),
  status: (world, process, userId) => [status(world, process, userId)],
  history: (world, process, userId) => [history(world, process, userId)],
  payment,
  sweep: (world, process) => [sweep(world, process, 5)],
  announce: (world, process) => [
    deed(world, process, { name: 'announce', start: (parts) => announceTime(parts, 50) }),
  ],
  reconcile: (world, process) => [reconcile(world, process)],
}

/** A payer uses the page of an open checkout. `leak`: one whose address the service gave to no user. */
function payOpen(world: SimulatedWorld, action: 'pay' | 'leak'): readonly Task[] {
  const open = world.emulator.checkouts().filter(({ status }) => status === 'pending')
  const payable = open.filter(({ id }) => world.isShown(id) === (action === 'pay'))
  if (payable.length === 0) return []
  const { id } = world.random.pick(payable)
  if (action === 'leak') return [payAt(world, id, 'paid')]
  return [payAt(world, id, world.random.weighted({ paid: 8, failed: 1, canceled: 1 }), oddPayment(world, id))]
}

/** A wrong event or a wrong amount, never both, so the API always reports the truth about one of them. */
export function oddPayment({ random, emulator }: SimulatedWorld, checkoutId: string): OddPayment {
  if (!random.boolean(0.2)) return { faults: faultsOfEvents(random) }
  const price = emulator.priceOf(checkoutId) ?? 0
  const other = random.pick(OFFERS.filter((offer) => offer.price !== price)).price
  return { amount: random.pick([price + 1, price - 1, price * 10, 50, other]) }
}

/** The API keeps reporting the truth, so the sweep corrects all of them. */
function faultsOfEvents(random: SeededRandom): Partial<Faults> {
  const faults = {
    none: () => ({}),
    twice: () => ({ duplicate: { count: random.between(1, 2), new_event_id: true } }),
    stale: () => ({ reorder: { order: 'failed_after_paid' as const } }),
    amount: () => ({ wrong_amount: { amount: 50 } }),
    mode: () => ({ wrong_mode: {} }),
    currency: () => ({ wrong_currency: {} }),
    slow: () => ({ processing: { seconds: random.pick([5, 100, 1200]) } }),
    unsigned: () => ({ bad_signature: {} }),
  }
  const kinds = { none: 12, twice: 3, stale: 2, amount: 1, mode: 1, currency: 1, slow: 2, unsigned: 1 }
  return faults[random.weighted<keyof typeof faults>(kinds)]()
}

/** A gateway repeats a request at most this long after the first. */
const REPEATED_WITHIN_MS = 10 * 60_000

/** The checkout request arrives twice: the provider makes another checkout, and that is paid as well. */
function paySecond(world: SimulatedWorld): readonly Task[] {
  const { random, emulator } = world
  const candidates = emulator
    .checkouts()
    .filter((one) => world.isShown(one.id) && one.created_at * 1_000 + REPEATED_WITHIN_MS > world.now)
  if (candidates.length === 0) return []
  const { id: firstId } = random.pick(candidates)
  const odd = random.boolean(0.1) ? oddPayment(world, firstId) : {}
  const start = async () => {
    const secondId = await emulator.repeat(firstId)
    world.figures.count('faults: a second checkout of one intent')
    if (random.boolean(0.8)) await payAt(world, secondId, 'paid', { ...odd, faults: {} }).start()
  }
  return [{ name: `the request of ${firstId} arrives twice`, state: OUTSIDE, start }]
}

export function payAt(
  world: SimulatedWorld,
  checkoutId: string,
  outcome: 'paid' | 'failed' | 'canceled',
  odd: OddPayment = {},
): Task {
  const { random, emulator, figures } = world
  const start = async () => {
    const taken = emulator.pay(checkoutId, outcome, random.pick(['edahabia', 'cib'] as const), odd)
    world.note(`      ${taken ? 'done' : 'too late'} ${JSON.stringify(odd)}`)
    figures.count(`payments: ${taken ? outcome : 'too late'}`)
    for (const fault of Object.keys(odd.faults ?? {})) figures.count(`faults: event ${fault}`)
    if (taken && odd.amount !== undefined) figures.count('faults: another amount')
  }
  return { name: `payer: ${outcome} at ${checkoutId}`, state: OUTSIDE, start }
}

export function status(world: SimulatedWorld, process: Process, userId: string): Task {
  return deed(world, process, {
    name: `${userId} reads their status`,
    start: (parts) => readStatus(parts, userId),
  })
}

function history(world: SimulatedWorld, process: Process, userId: string): Task {
  return deed(world, process, {
    name: `${userId} reads their history`,
    start: (parts) => readHistory(parts, { userId, limit: 2, cursor: null, status: null }),
  })
}

function payment(world: SimulatedWorld, process: Process): readonly Task[] {
  if (world.shown.length === 0) return []
  const { userId, paymentId } = world.random.pick(world.shown)
  const start = (parts: Process['parts']) =>
    refreshed(parts, () => findPayment(parts.database, userId, paymentId))
  return [deed(world, process, { name: `${userId} reads ${paymentId}`, start })]
}

export function sweep(world: SimulatedWorld, process: Process, limit: number): Task {
  return deed(world, process, {
    name: 'sweep',
    start: async (parts) => {
      const done = await checkDuePayments(parts, limit)
      world.figures.count('looks of the sweep', done)
      return done
    },
    ended: () => world.swept(),
  })
}

/** Gives 0 when there is nothing to reconcile. */
export function reconcile(world: SimulatedWorld, process: Process): Task {
  return deed(world, process, { name: 'reconcile', start: reconcileDaily })
}

/** Due webhooks, a replayed one or a forged one. Without a running process they count as not delivered. */
function receiveWebhooks(
  world: SimulatedWorld,
  process: Process | null,
  action: 'webhook' | 'replay' | 'forgery',
): readonly Task[] {
  const { webhooks, random } = world
  const chosen = {
    webhook: () => webhooks.due(world.now, random.between(1, 3)),
    replay: () => webhooks.old(),
    forgery: () => webhooks.forge(),
  }[action]()
  if (!process) {
    for (const message of chosen) webhooks.answered(message, false, world.now)
    return []
  }
  return chosen.map((message) => {
    const { eventId, body, signature, isGenuine } = message
    const at = world.anyProcess() ?? process
    webhooks.delivered(message)
    return deed(world, at, {
      name: `webhook ${eventId}`,
      start: (parts) => receiveEvent(parts, 'chargily', { body: Buffer.from(body), signature }),
      refusals: isGenuine ? [] : ['invalid_signature'],
      ended: (how) => webhooks.answered(message, how === 'done', world.now),
    })
  })
}
