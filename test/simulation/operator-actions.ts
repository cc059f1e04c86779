// Each act is checked against its promise and the time at which it can have happened.
import { accept as acceptAct } from '../../packages/ishtirak/src/checkout/accept.js'
import { recheck as recheckAct } from '../../packages/ishtirak/src/checkout/recheck.js'
import { createCodes } from '../../packages/ishtirak/src/codes/code-acts.js'
import { grantDays } from '../../packages/ishtirak/src/grants/grant.js'
import { endAccess } from '../../packages/ishtirak/src/ledger/end.js'
import { refund as refundAct } from '../../packages/ishtirak/src/ledger/refund.js'
import { ownerNamed } from '../support/operator.js'
import { modelId, movesByHand } from './balances.js'
import { slipsRecorded } from './desk.js'
import { correctInvoice } from './documents.js'
import { act, deed } from './expected.js'
import type { BookedPayment } from './ledger.js'
import type { Entry } from './model.js'
import type { Parts, Process } from './process.js'
import { isBooked, require } from './rules.js'
import { CODE_KINDS, type CodeKindSold } from './sales.js'
import type { Task } from './scheduler.js'
import { decisions } from './transfers.js'
import type { AskedGrant, SimulatedWorld } from './world.js'

export const OPERATOR_ACTIONS = {
  ...{ accept: 1.5, recheck: 0.7, refund: 0.5, end: 0.2, grant: 0.6, codes: 1, decide: 3, record: 0.8 },
  ...{ moveBalance: 0.6, correct: 0.6 },
} as const
export type OperatorAction = keyof typeof OPERATOR_ACTIONS

const RULE = 'an act of the operator does what it says'

export function operatorTasks(
  action: OperatorAction,
  world: SimulatedWorld,
  process: Process,
): readonly Task[] {
  const { payments } = world.ledger
  if (action === 'end') return [end(world, process, world.anyUser())]
  if (action === 'grant') return grants(world, process, world.anyUser())
  if (action === 'decide') return decisions(world, process)
  if (action === 'record') return slipsRecorded(world, process)
  if (action === 'moveBalance') return movesByHand(world, process, world.anyUser())
  if (action === 'codes') return [makeCode(world, process, world.random.pick(Object.keys(CODE_KINDS)))]
  if (action === 'correct') return corrections(world, process)
  const candidates = payments.filter(({ status, checkout }) => {
    if (action === 'recheck') return checkout !== null
    return status === (action === 'accept' ? 'review' : 'paid')
  })
  if (candidates.length === 0) return []
  return [{ accept, recheck, refund }[action](world, process, world.random.pick(candidates))]
}

/** Of any payment that has an invoice, and sometimes of one that has none. */
function corrections(world: SimulatedWorld, process: Process): readonly Task[] {
  const { random, ledger } = world
  const invoiced = ledger.documents.filter(({ kind }) => kind === 'invoice').map(({ payment }) => payment)
  const candidates = random.boolean(0.8) ? invoiced : ledger.payments.map(({ id }) => id)
  return candidates.length === 0 ? [] : [correctInvoice(world, process, random.pick(candidates))]
}

/** Booked, if the provider had the money when it was asked. */
function accept(world: SimulatedWorld, process: Process, { id, checkout }: BookedPayment): Task {
  const isPaid = world.emulator.checkout(checkout ?? '')?.status === 'paid'
  return deed(world, process, {
    ...{ name: `the operator accepts ${id}`, figure: 'acts: accepts' },
    start: (parts) => {
      world.accepted.add(id)
      return act(notingBlind(world, parts, id), acceptAct, id)
    },
    refusals: ['conflict'],
    done: () => require(!isPaid || isBooked(world.payment(id)), RULE, () => `${id} is not booked`),
  })
}

/** What was accepted while the provider did not answer is booked as its report said, true or not. */
function notingBlind(world: SimulatedWorld, parts: Parts, id: string): Parts {
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
  return deed(world, process, {
    ...{ name: `the operator rechecks ${id}`, figure: 'acts: rechecks' },
    start: (parts) => act(parts, recheckAct, id),
    refusals: ['provider_unavailable', 'provider_rejected'],
    done: () => {
      const now = world.payment(id)
      const isSeen = isBooked(now) || now.status === 'review'
      require(!isPaid || isSeen, RULE, () => `${id} was paid and is ${now.status}`)
    },
  })
}

export function refund(world: SimulatedWorld, process: Process, { id, user, kind }: BookedPayment): Task {
  const { random, refundedTo, balanceMax } = world
  const isIt = (entry: Entry) => entry.kind === 'refunded' && entry.checkoutId === modelId(world.ledger, id)
  const isPossible = balanceMax > 0 && kind !== 'top_up'
  // The money goes the same way however often the refund is asked for.
  const to = refundedTo.get(id) ?? (isPossible && random.boolean(0.4) ? 'balance' : 'hand')
  refundedTo.set(id, to)
  const startedAt = world.now
  return deed(world, process, {
    ...{ name: `the operator refunds ${id}`, figure: 'acts: refunds' },
    start: (parts) => {
      world.refunded.add(id)
      return act(parts, refundAct, id, { to })
    },
    refusals: ['conflict', 'already_refunded', 'refund_change_first', 'balance_too_low'],
    done: () => requireWritten(world, user, isIt, startedAt),
  })
}

function end(world: SimulatedWorld, process: Process, userId: string): Task {
  const startedAt = world.now
  return deed(world, process, {
    ...{ name: `the operator ends ${userId}`, figure: 'acts: ends' },
    start: (parts) => act(parts, endAccess, userId),
    refusals: ['conflict', 'not_found'],
    done: () => requireWritten(world, userId, ({ kind }) => kind === 'ended', startedAt),
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

/** Once, several times at once, or again what was asked for before: each operation counts once. */
function grants(world: SimulatedWorld, process: Process, userId: string): readonly Task[] {
  const { random, granted, edition } = world
  const before = [...granted.keys()].filter((name) => name.startsWith(`${userId} `))
  const operation =
    before.length > 0 && random.boolean(0.3) ? random.pick(before) : `${userId} ${granted.size + 1}`
  const draw = (): AskedGrant => {
    const days = random.pick([1, 2, 3, 10, 45])
    const plan = random.pick(Object.keys(edition))
    const isNew = world.standingOf(userId).run.length === 0
    return { months: 0, days, plan, single: edition[plan]?.[1] ?? 0, isNew }
  }
  const asked = granted.get(operation) ?? draw()
  granted.set(operation, asked)
  return Array.from({ length: random.pick([1, 1, 2]) }, () =>
    deed(world, world.anyProcess() ?? process, {
      ...{ name: `the operator grants ${userId} ${asked.days} days`, figure: 'acts: grants' },
      start: (parts) => {
        const plan = asked.isNew ? { plan: asked.plan } : {}
        return act(parts, grantDays, userId, { days: asked.days, ...plan, operation_id: operation })
      },
      // The user bought another plan meanwhile, or the plan is sold no more.
      refusals: asked.isNew ? ['not_found', 'conflict', 'unknown_plan'] : ['not_found'],
      done: () => {
        const isGiven = world.ledger.grants.some((one) => one.operation === operation)
        require(isGiven, RULE, () => `${operation} gave nothing`)
      },
    }),
  )
}

export function makeCode(world: SimulatedWorld, process: Process, kind: string): Task {
  const { random } = world
  const until = random.boolean(0.3) ? world.now + random.between(1, 30) * 86_400_000 : null
  const sold: CodeKindSold = CODE_KINDS[kind] ?? { uses: 1, usesPerUser: 1 }
  const { percent = null, amount = null, plan = null, months = null, uses, usesPerUser, isVoucher } = sold
  const worth = percent === null ? 'amount' : 'percent'
  return deed(world, process, {
    ...{ name: `the operator makes a code of ${kind}`, figure: 'acts: makes' },
    start: async (parts) => {
      const wanted = {
        ...{ kind: isVoucher ? ('months' as const) : (worth as 'amount' | 'percent'), uses, usesPerUser },
        ...{ planId: plan, months, percent, amount, count: 1, from: null, until },
      }
      const by = { operator: ownerNamed('operator'), reason: 'the simulation' }
      const { batch_id: batch, codes } = await createCodes(parts, wanted, by)
      const single = world.edition[plan ?? '']?.[1] ?? 0
      world.codes.made.push({ kind, batch, text: codes[0] ?? '', until, single, ...sold })
    },
  })
}
