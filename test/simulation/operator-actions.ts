// The operator's actions: accept a payment under review, recheck one, record a refund, end a user's access.
// Each is checked against its promise once it is answered, and against the time at which it can have
// happened.

import { callBy, doAct } from '../../packages/ishtirak/src/acts/act-routes.js'
import { accept as acceptAct } from '../../packages/ishtirak/src/checkout/accept.js'
import { recheck as recheckAct } from '../../packages/ishtirak/src/checkout/recheck.js'
import { createCodes } from '../../packages/ishtirak/src/codes/batches.js'
import type { ErrorCode } from '../../packages/ishtirak/src/core/error.js'
import { grantDays } from '../../packages/ishtirak/src/grants/grant.js'
import { endAccess } from '../../packages/ishtirak/src/ledger/end.js'
import { refund as refundAct } from '../../packages/ishtirak/src/ledger/refund.js'
import { ownerNamed } from '../support/operator.js'
import { modelId, movesByHand } from './balances.js'
import { CODE_KIND_NAMES } from './codes.js'
import { slipsRecorded } from './desk.js'
import { withExpectedErrors } from './expected.js'
import type { BookedPayment } from './ledger.js'
import type { Entry } from './model.js'
import { correctFacture } from './papers.js'
import type { Parts, Process } from './process.js'
import { isBooked, require } from './rules.js'
import { CODE_KINDS, type CodeKindSold } from './sales.js'
import type { Task } from './scheduler.js'
import { decisions } from './transfers.js'
import type { AskedGrant, SimulatedWorld } from './world.js'

export const OPERATOR_ACTIONS = {
  accept: 1.5,
  recheck: 0.7,
  refund: 0.5,
  end: 0.2,
  grant: 0.6,
  codes: 1,
  decide: 3,
  record: 0.8,
  moveBalance: 0.6,
  correct: 0.6,
} as const

const BY = { operator: ownerNamed('operator'), reason: 'the simulation' }
const RULE = 'an act of the operator does what it says'

export function operatorTasks(
  action: keyof typeof OPERATOR_ACTIONS,
  world: SimulatedWorld,
  process: Process,
): readonly Task[] {
  const { payments } = world.ledger
  if (action === 'end') return [end(world, process, world.anyUser())]
  if (action === 'grant') return grants(world, process, world.anyUser())
  if (action === 'decide') return decisions(world, process)
  if (action === 'record') return slipsRecorded(world, process)
  if (action === 'moveBalance') return movesByHand(world, process, world.anyUser())
  if (action === 'codes') return [makeCode(world, process, world.random.pick(CODE_KIND_NAMES))]
  if (action === 'correct') return corrections(world, process)
  const candidates = payments.filter(({ status, checkout }) => {
    if (action === 'recheck') return checkout !== null
    return status === (action === 'accept' ? 'review' : 'paid')
  })
  if (candidates.length === 0) return []
  return [{ accept, recheck, refund }[action](world, process, world.random.pick(candidates))]
}

/** Of any payment that has a facture, and sometimes of one that has none. */
function corrections(world: SimulatedWorld, process: Process): readonly Task[] {
  const { random, ledger } = world
  const factured = ledger.papers.filter(({ kind }) => kind === 'facture').map(({ payment }) => payment)
  const candidates = random.boolean(0.8) ? factured : ledger.payments.map(({ id }) => id)
  return candidates.length === 0 ? [] : [correctFacture(world, process, random.pick(candidates))]
}

/** Booked, if the provider had the money when it was asked. */
function accept(world: SimulatedWorld, process: Process, { id, checkout }: BookedPayment): Task {
  const isPaid = world.emulator.checkout(checkout ?? '')?.status === 'paid'
  return act(world, process, {
    name: `accepts ${id}`,
    start: () => {
      world.accepted.add(id)
      return doAct(notingBlind(world, process, id), acceptAct, callBy(BY.operator, id, { why: BY.reason }))
    },
    promised: ['conflict'],
    done: () => require(!isPaid || isBooked(now(world, id)), RULE, () => `${id} is not booked`),
  })
}

/** What was accepted while the provider did not answer is booked as its report said, true or not. */
function notingBlind(world: SimulatedWorld, { parts }: Process, id: string): Parts {
  const of = (name: string) => {
    const method = parts.methods.of(name)
    const getCheckout: typeof method.getCheckout = async (checkoutId) => {
      const answer = await method.getCheckout(checkoutId)
      if (answer.ok) world.acceptedBlind.delete(id)
      else world.acceptedBlind.add(id)
      return answer
    }
    return { ...method, getCheckout }
  }
  return { ...parts, methods: { ...parts.methods, of } }
}

/** Booked or under review, if it was paid at the provider before it was asked. */
function recheck(world: SimulatedWorld, process: Process, { id, checkout }: BookedPayment): Task {
  const isPaid = world.emulator.checkout(checkout ?? '')?.status === 'paid'
  const isSeen = () => isBooked(now(world, id)) || now(world, id).status === 'review'
  return act(world, process, {
    name: `rechecks ${id}`,
    start: () => doAct(process.parts, recheckAct, callBy(BY.operator, id, { why: BY.reason })),
    promised: ['provider_unavailable', 'provider_rejected'],
    done: () => require(!isPaid || isSeen(), RULE, () => `${id} was paid and is ${now(world, id).status}`),
  })
}

export function refund(world: SimulatedWorld, process: Process, payment: BookedPayment): Task {
  const { id, user } = payment
  const isIt = (entry: Entry) => entry.kind === 'refunded' && entry.checkoutId === modelId(world.ledger, id)
  const to = wayBack(world, payment)
  return act(world, process, {
    name: `refunds ${id}`,
    start: () => {
      world.refunded.add(id)
      return doAct(process.parts, refundAct, callBy(BY.operator, id, { to, why: BY.reason }))
    },
    promised: ['conflict', 'already_refunded', 'refund_change_first', 'balance_too_low'],
    done: (startedAt) => requireWritten(world, user, isIt, startedAt),
  })
}

/** Where the money goes, the same however often the refund is asked for. */
function wayBack({ random, refundedTo, balanceMax }: SimulatedWorld, { id, kind }: BookedPayment) {
  const isPossible = balanceMax > 0 && kind !== 'top_up'
  const to = refundedTo.get(id) ?? (isPossible && random.boolean(0.4) ? 'balance' : 'hand')
  refundedTo.set(id, to)
  return to
}

function end(world: SimulatedWorld, process: Process, userId: string): Task {
  return act(world, process, {
    name: `ends ${userId}`,
    start: () => doAct(process.parts, endAccess, callBy(BY.operator, userId, { why: BY.reason })),
    promised: ['conflict', 'not_found'],
    done: (startedAt) => requireWritten(world, userId, ({ kind }) => kind === 'ended', startedAt),
  })
}

/** Once, several times at once, or again what was asked for before: each operation counts once. */
function grants(world: SimulatedWorld, process: Process, userId: string): readonly Task[] {
  const { random, granted } = world
  const before = [...granted.keys()].filter((name) => name.startsWith(`${userId} `))
  const operation =
    before.length > 0 && random.boolean(0.3) ? random.pick(before) : `${userId} ${granted.size + 1}`
  const asked: AskedGrant = granted.get(operation) ?? {
    months: 0,
    days: random.pick([1, 2, 3, 10, 45]),
    ...anyPlan(world),
    isNew: world.standingOf(userId).run.length === 0,
  }
  granted.set(operation, asked)
  const of = () => grant(world, world.anyProcess() ?? process, { userId, operation, asked })
  return Array.from({ length: random.pick([1, 1, 2]) }, of)
}

function anyPlan({ random, edition }: SimulatedWorld) {
  const plan = random.pick(Object.keys(edition))
  return { plan, single: edition[plan]?.[1] ?? 0 }
}

function grant(
  world: SimulatedWorld,
  process: Process,
  of: {
    readonly userId: string
    readonly operation: string
    readonly asked: AskedGrant
  },
): Task {
  const { userId, operation, asked } = of
  const isGiven = () => world.ledger.grants.some((one) => one.operation === operation)
  return act(world, process, {
    name: `grants ${userId} ${asked.days} days`,
    start: () => {
      const plan = asked.isNew ? { plan: asked.plan } : {}
      const wanted = { days: asked.days, ...plan, operation_id: operation, why: BY.reason }
      return doAct(process.parts, grantDays, callBy(BY.operator, userId, wanted))
    },
    // Of another plan, where the user bought one meanwhile, or the plan is sold no more.
    promised: asked.isNew ? ['not_found', 'conflict', 'unknown_plan'] : ['not_found'],
    done: () => require(isGiven(), RULE, () => `${operation} gave nothing`),
  })
}

/** One code, which counts for days or without an end. */
export function makeCode(world: SimulatedWorld, process: Process, kind: string): Task {
  const { random } = world
  const until = random.boolean(0.3) ? world.now + random.between(1, 30) * 86_400_000 : null
  const sold: CodeKindSold = CODE_KINDS[kind] ?? { uses: 1, usesPerUser: 1 }
  const { percent, amount, plan, months, uses, usesPerUser, isVoucher } = sold
  const worth = percent === undefined ? ('amount' as const) : ('percent' as const)
  return act(world, process, {
    name: `makes a code of ${kind}`,
    start: async () => {
      const wanted = {
        ...{ kind: isVoucher ? ('months' as const) : worth, uses, usesPerUser },
        ...{ planId: plan ?? null, months: months ?? null, percent: percent ?? null, amount: amount ?? null },
        ...{ count: 1, from: null, until },
      }
      const { batch_id: batch, codes } = await createCodes(process.parts, wanted, BY)
      const [text = ''] = codes
      const single = world.edition[plan ?? '']?.[1] ?? 0
      world.codes.made.push({ kind, batch, text, until, single, ...sold })
    },
    promised: [],
    done: () => undefined,
  })
}

/** The action is in the history, at an instant between its start and now. */
function requireWritten(
  world: SimulatedWorld,
  userId: string,
  isIt: (entry: Entry) => boolean,
  startedAt: number,
): void {
  const entry = world.historyOf(userId).findLast(isIt)
  const at = entry && 'at' in entry ? entry.at : null
  require(at !== null && at >= startedAt && at <= world.now, RULE, () =>
    `${userId}: ${at}, asked ${startedAt}`)
}

function act(
  world: SimulatedWorld,
  { state }: Process,
  of: {
    readonly name: string
    readonly start: () => Promise<unknown>
    readonly promised: readonly ErrorCode[]
    /** Called with the instant of the start, after all concurrent tasks have ended. */
    readonly done: (startedAt: number) => void
  },
): Task {
  const startedAt = world.now
  const task: Task = {
    name: `the operator ${of.name}`,
    state,
    start: of.start,
    ended: ({ kind }) => {
      world.figures.count(`acts: ${of.name.split(' ', 1)[0]} ${kind}`)
      if (kind === 'done') world.afterwards(() => of.done(startedAt))
    },
  }
  return withExpectedErrors(world, task, of.promised)
}

function now(world: SimulatedWorld, paymentId: string): BookedPayment {
  const payment = world.ledger.payments.find(({ id }) => id === paymentId)
  if (!payment) throw new Error(`${paymentId} is gone`)
  return payment
}
