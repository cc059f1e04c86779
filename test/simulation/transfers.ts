// What counts is worked out from what operators said; of the rows only the instants are taken.
import type { Account } from '../../packages/ishtirak/src/core/account.js'
import { toTimestamp } from '../../packages/ishtirak/src/core/instant.js'
import { approve, refuse } from '../../packages/ishtirak/src/transfers/decide.js'
import { uploadProof } from '../../packages/ishtirak/src/transfers/proof.js'
import { png } from '../support/proof-files.js'
import { act, deed } from './expected.js'
import type { BookedPayment, BookedTransfer, Ledger } from './ledger.js'
import type { Taking } from './model.js'
import type { Process } from './process.js'
import { isBooked, require } from './rules.js'
import type { SoldBy } from './sales.js'
import type { Task } from './scheduler.js'
import type { SimulatedWorld } from './world.js'

const CCP: Account = {
  ...{ kind: 'ccp', holder: 'Atlas', number: '0023456789', key: '88' },
  ...{ rip: '00799999002345678941', bank: null, iban: null },
}
export const ACCOUNTS: readonly Account[] = [
  CCP,
  { ...CCP, kind: 'baridimob', number: '00799999002345678941', key: null, rip: null },
]
/** Half of the terms need two operators. */
export const SECOND_APPROVAL_FROM = 10_000
export const OPERATORS = ['operator', 'other operator'] as const
const RULE = 'a transfer counts once enough operators have seen its money'

type Call = { paymentId: string; startedAt: number; endedAt: number | null }

/** What an operator said, by whichever process, whether it was answered or not. */
interface Said extends Call {
  readonly by: string
  readonly amount: number
  readonly instrument: 'ccp' | 'baridimob'
}

/** A file that a user sent, whether it was answered or not. */
interface Sent extends Call {
  isTaken: boolean
}

const isWithin = (at: number, { startedAt, endedAt }: Call) => at >= startedAt && at <= (endedAt ?? at)

export class Transfers {
  readonly said: Said[] = []
  readonly sent: Sent[] = []
  /** By the payment, once it is there: later files leave it. */
  readonly #proved = new Map<string, number>()
  readonly refused = new Set<string>()

  check(ledger: Ledger): void {
    for (const { payment, state, approvals, provedAt } of ledger.transfers) {
      this.#checkProof(payment, provedAt)
      for (const { by, at, amount, instrument } of approvals) {
        const isIt = (one: Said) =>
          one.paymentId === payment && one.by === by && one.amount === amount && one.instrument === instrument
        const isSaid = this.said.some((one) => isIt(one) && isWithin(at, one))
        require(isSaid, RULE, () => `${payment}: it was not said: ${JSON.stringify({ by, at, amount })}`)
      }
      require(state !== 'refused' || this.refused.has(payment), RULE, () => `${payment} was not refused`)
      if (state !== 'approved') continue
      const price = ledger.payments.find(({ id }) => id === payment)?.asked ?? 0
      const last = approvals.at(-1)
      const needed = Math.max(price, last?.amount ?? 0) >= SECOND_APPROVAL_FROM ? 2 : 1
      const who = new Set(approvals.map(({ by }) => by))
      const isOne = approvals.every(({ amount }) => amount === last?.amount)
      require(isOne && who.size >= needed, RULE, () => `${payment}: ${JSON.stringify(approvals)}`)
    }
  }

  #checkProof(payment: string, provedAt: number | null): void {
    const sent = this.sent.filter(({ paymentId }) => paymentId === payment)
    const taken = sent.flatMap(({ isTaken, endedAt }) => (isTaken && endedAt !== null ? endedAt : []))
    const isIt = provedAt === null ? taken.length === 0 : sent.some((one) => isWithin(provedAt, one))
    const isFirst = taken.every((at) => provedAt !== null && provedAt <= at)
    const before = this.#proved.get(payment)
    const stays = before === undefined || before === provedAt
    require(isIt && isFirst && stays, 'the first proof of a transfer is the one that counts', () =>
      `${payment}: ${provedAt}, ${JSON.stringify(sent)}`)
    if (provedAt !== null) this.#proved.set(payment, provedAt)
  }
}

/** What came to the accounts, of those that are approved: as the last approval says. */
export function takingsByTransfer(
  { transfers, payments }: Ledger,
  soldBy: (payment: BookedPayment) => SoldBy,
): readonly Taking[] {
  return transfers.flatMap(({ payment, user, reference, state, approvals, provedAt }): readonly Taking[] => {
    const own = payments.find(({ id }) => id === payment)
    const last = approvals.at(-1)
    if (state !== 'approved' || !last || !own) return []
    const { amount, at: paidAt, instrument: method } = last
    const money = { price: own.asked, amount, method, paidAt, provedAt, isOurs: true } as const
    return [{ ...soldBy(own), checkoutId: reference, userId: user, ...money }]
  })
}

/** A user shows what is waited for, or what is over: one or two files at once. */
export function proofs(world: SimulatedWorld, process: Process, user?: string): readonly Task[] {
  const { random, ledger } = world
  const own = ledger.transfers.filter((one) => user === undefined || one.user === user)
  const waiting = own.filter(({ state }) => state === 'open' || state === 'ended')
  if (own.length === 0) return []
  const transfer = random.pick(waiting.length > 0 && random.boolean(0.8) ? waiting : own)
  return Array.from({ length: random.pick([1, 1, 2]) }, () =>
    proof(world, world.anyProcess() ?? process, transfer),
  )
}

function proof(world: SimulatedWorld, process: Process, of: BookedTransfer): Task {
  const { user: userId, payment: paymentId } = of
  const sent: Sent = { paymentId, startedAt: world.now, endedAt: null, isTaken: false }
  const file = png({ extra: world.random.between(1, 1_000) })
  return deed(world, process, {
    ...{ name: `${userId} shows ${paymentId}`, figure: 'proofs:' },
    start: (parts) => {
      world.transfers.sent.push(sent)
      return uploadProof(parts, { userId, paymentId }, file)
    },
    refusals: ['conflict', 'too_many_proofs'],
    ended: (how) => Object.assign(sent, { endedAt: world.now, isTaken: how === 'done' }),
  })
}

/** One to three operators at once, mostly on what was asked for lately; now and then on what is decided. */
export function decisions(world: SimulatedWorld, process: Process): readonly Task[] {
  const { random, ledger } = world
  const paymentOf = ({ payment }: BookedTransfer) => ledger.payments.find(({ id }) => id === payment)
  // Until a reference is kept by its payment, it is not given to a user.
  const transfers = ledger.transfers.filter((one) => (paymentOf(one)?.checkout ?? null) !== null)
  if (transfers.length === 0) return []
  const open = transfers.filter(({ state }) => state === 'open' || state === 'ended')
  const transfer = random.pick(open.length > 0 && random.boolean(0.8) ? open : transfers)
  const payment = paymentOf(transfer)
  if (!payment) return []
  const amount = amountFor(world, transfer, payment)
  const instrument = random.pick(['ccp', 'ccp', 'baridimob'] as const)
  return Array.from({ length: random.pick([1, 1, 2, 3]) }, () => {
    const at = world.anyProcess() ?? process
    if (random.boolean(0.15)) return refusal(world, at, payment.id)
    const by = random.pick(OPERATORS)
    const said = { by, paymentId: payment.id, amount, instrument, startedAt: world.now, endedAt: null }
    return approval(world, at, said)
  })
}

/** A second operator says mostly what the first said; a figure under review is put right. */
function amountFor(
  { random }: SimulatedWorld,
  { approvals }: BookedTransfer,
  { asked: price, status }: BookedPayment,
): number {
  const last = approvals.at(-1)
  if (last && status !== 'review' && random.boolean(0.9)) return last.amount
  return random.boolean(0.8) ? price : random.pick([price - 1, price + 1, price * 10, 50])
}

function approval(world: SimulatedWorld, process: Process, said: Said): Task {
  const { paymentId, by, amount, instrument } = said
  return deed(world, process, {
    ...{ name: `${by} approves ${paymentId} of ${amount} by ${instrument}`, figure: 'acts: approves' },
    start: (parts) => {
      world.transfers.said.push(said)
      const received = { amount, received_at: toTimestamp(world.now), payment_method: instrument }
      return act(parts, approve, paymentId, received, by)
    },
    refusals: ['conflict', 'second_operator_needed'],
    ended: () => {
      said.endedAt = world.now
    },
    done: () => requireHeard(world, said),
  })
}

/** What an operator was told is done: booked, under review, or written down for the next operator. */
function requireHeard(world: SimulatedWorld, { paymentId, by }: Said): void {
  const { payments, transfers } = world.ledger
  const payment = payments.find(({ id }) => id === paymentId)
  const transfer = transfers.find((one) => one.payment === paymentId)
  // Approved but not booked: another operator's call failed, and the sweep books it in time.
  const isWritten = transfer?.approvals.some((one) => one.by === by)
  const isSettled = payment !== undefined && (isBooked(payment) || payment.status === 'review')
  // A refusal takes back what was approved before it; what stands is the refusal, or what was approved since.
  const stands = transfer?.state === 'refused' || (transfer?.approvals.length ?? 0) > 0
  const isTakenBack = world.transfers.refused.has(paymentId) && stands
  require(isSettled || isWritten || isTakenBack, RULE, () =>
    `${paymentId}: ${JSON.stringify(payment)}, ${JSON.stringify(transfer)}`)
}

function refusal(world: SimulatedWorld, process: Process, id: string): Task {
  return deed(world, process, {
    ...{ name: `the operator refuses ${id}`, figure: 'acts: refuses' },
    start: (parts) => {
      world.transfers.refused.add(id)
      return act(parts, refuse, id)
    },
    refusals: ['conflict'],
  })
}
