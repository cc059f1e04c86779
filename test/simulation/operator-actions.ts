// The operator's acts: take what is under review, ask the provider again, record a refund, end a user's access. Each is held
// against what it promises when it has been answered, and against the instant at which it can have happened.
import type { ErrorCode } from '../../packages/ishtirak/src/core/error.js'
import {
  acceptPayment,
  recheckPayment,
  refundPayment,
} from '../../packages/ishtirak/src/operator/payments.js'
import { endUser } from '../../packages/ishtirak/src/operator/users.js'
import type { BookedPayment } from './ledger.js'
import { judged } from './expected.js'
import type { Entry } from './model.js'
import type { Process } from './process.js'
import { isBooked, require } from './rules.js'
import type { Task } from './scheduler.js'
import type { World } from './world.js'

export const OPERATOR_DEEDS = { accept: 1.5, recheck: 0.7, refund: 0.5, end: 0.2 } as const

const BY = { operator: 'operator', reason: 'the simulation' }
const RULE = 'an act of the operator does what it says'

export function operatorTasks(
  deed: keyof typeof OPERATOR_DEEDS,
  world: World,
  process: Process,
): readonly Task[] {
  const { payments } = world.books
  if (deed === 'end') return [end(world, process, world.anyUser())]
  const candidates = payments.filter(({ status, checkout }) => {
    if (deed === 'recheck') return checkout !== null
    return status === (deed === 'accept' ? 'review' : 'paid')
  })
  if (candidates.length === 0) return []
  return [{ accept, recheck, refund }[deed](world, process, world.dice.pick(candidates))]
}

/** Where the provider has the money when it is asked, it is booked. */
function accept(world: World, process: Process, { id, checkout }: BookedPayment): Task {
  const isPaid = world.far.checkout(checkout ?? '')?.status === 'paid'
  return act(world, process, {
    name: `accepts ${id}`,
    start: () => {
      world.accepted.add(id)
      return acceptPayment(process.parts, id, BY)
    },
    promised: ['conflict'],
    done: () => require(!isPaid || isBooked(now(world, id)), RULE, () => `${id} is not booked`),
  })
}

/** What was paid at the provider before it was asked is booked, or lies under review. */
function recheck(world: World, process: Process, { id, checkout }: BookedPayment): Task {
  const isPaid = world.far.checkout(checkout ?? '')?.status === 'paid'
  const isSeen = () => isBooked(now(world, id)) || now(world, id).status === 'review'
  return act(world, process, {
    name: `rechecks ${id}`,
    start: () => recheckPayment(process.parts, id, BY),
    promised: ['provider_unavailable', 'provider_rejected'],
    done: () => require(!isPaid || isSeen(), RULE, () => `${id} was paid and is ${now(world, id).status}`),
  })
}

export function refund(world: World, process: Process, { id, user, checkout }: BookedPayment): Task {
  const isIt = (entry: Entry) => entry.kind === 'refunded' && entry.checkoutId === checkout
  return act(world, process, {
    name: `refunds ${id}`,
    start: () => {
      world.refunded.add(id)
      return refundPayment(process.parts, id, BY)
    },
    promised: ['conflict', 'already_refunded'],
    done: (startedAt) => requireWritten(world, user, isIt, startedAt),
  })
}

function end(world: World, process: Process, userId: string): Task {
  return act(world, process, {
    name: `ends ${userId}`,
    start: () => endUser(process.parts, userId, BY),
    promised: ['conflict', 'not_found'],
    done: (startedAt) => requireWritten(world, userId, ({ kind }) => kind === 'ended', startedAt),
  })
}

/** The act is in the history, and its instant lies between the asking and now. */
function requireWritten(
  world: World,
  userId: string,
  isIt: (entry: Entry) => boolean,
  startedAt: number,
): void {
  const entry = world.historyOf(userId).findLast(isIt)
  const at = entry && entry.kind !== 'paid' ? entry.at : null
  require(at !== null && at >= startedAt && at <= world.now, RULE, () =>
    `${userId}: ${at}, asked ${startedAt}`)
}

function act(
  world: World,
  { life }: Process,
  of: {
    readonly name: string
    readonly start: () => Promise<unknown>
    readonly promised: readonly ErrorCode[]
    /** With the instant of the asking, when all that went on beside it has ended too. */
    readonly done: (startedAt: number) => void
  },
): Task {
  const startedAt = world.now
  const task: Task = {
    name: `the operator ${of.name}`,
    life,
    start: of.start,
    ended: ({ kind }) => {
      world.figures.count(`acts: ${of.name.split(' ', 1)[0]} ${kind}`)
      if (kind === 'done') world.afterwards(() => of.done(startedAt))
    },
  }
  return judged(world, task, of.promised)
}

function now(world: World, paymentId: string): BookedPayment {
  const payment = world.books.payments.find(({ id }) => id === paymentId)
  if (!payment) throw new Error(`${paymentId} is gone`)
  return payment
}
