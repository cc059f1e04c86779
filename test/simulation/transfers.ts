// Transfers among the deeds: operators say what came to an account, or refuse it. What counts is worked out here from what
// they said, and not by the service; of its rows only the instants are taken, each within the call that made it.
import type { Account } from '../../packages/ishtirak/src/core/account.js'
import { approvePayment, refusePayment } from '../../packages/ishtirak/src/operator/approvals.js'
import { withExpectedErrors } from './expected.js'
import type { BookedPayment, BookedTransfer, Ledger } from './ledger.js'
import type { Taking } from './model.js'
import type { Process } from './process.js'
import { isBooked, require } from './rules.js'
import { saleAt } from './sales.js'
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
const OPERATORS = ['operator', 'other operator'] as const
const RULE = 'a transfer counts once enough operators have seen its money'

/** What an operator said, by whichever process, whether it was answered or not. */
interface Said {
  readonly by: string
  readonly paymentId: string
  readonly amount: number
  readonly instrument: 'ccp' | 'baridimob'
  readonly startedAt: number
  endedAt: number | null
}

export class Transfers {
  readonly said: Said[] = []
  readonly refused = new Set<string>()

  check(ledger: Ledger): void {
    for (const { payment, state, approvals } of ledger.transfers) {
      for (const { by, at, amount, instrument } of approvals) {
        const isIt = (one: Said) =>
          one.paymentId === payment && one.by === by && one.amount === amount && one.instrument === instrument
        const isMeanwhile = ({ startedAt, endedAt }: Said) => at >= startedAt && at <= (endedAt ?? at)
        const isSaid = this.said.some((one) => isIt(one) && isMeanwhile(one))
        require(isSaid, RULE, () => `${payment}: nobody said ${JSON.stringify({ by, at, amount })}`)
      }
      require(state !== 'refused' || this.refused.has(payment), RULE, () => `${payment} was not refused`)
      if (state !== 'approved') continue
      const price = ledger.payments.find(({ id }) => id === payment)?.amount ?? 0
      const [last] = approvals.slice(-1)
      const needed = Math.max(price, last?.amount ?? 0) >= SECOND_APPROVAL_FROM ? 2 : 1
      const who = new Set(approvals.map(({ by }) => by))
      const isOne = approvals.every(({ amount }) => amount === last?.amount)
      require(isOne && who.size >= needed, RULE, () => `${payment}: ${JSON.stringify(approvals)}`)
    }
  }
}

/** What came to the accounts, of those that are approved. */
export function takingsByTransfer(
  { transfers, payments }: Ledger,
  accepted: ReadonlySet<string>,
  { said }: Transfers,
): readonly Taking[] {
  return transfers.flatMap(({ payment, user, reference, state, approvals }): readonly Taking[] => {
    const booked = payments.find(({ id }) => id === payment)
    const price = booked?.amount ?? 0
    const [last] = approvals.slice(-1)
    const sale = saleAt(price)
    if (state !== 'approved' || !last || !sale) return []
    // A figure was being booked while another operator changed it: what was booked counts.
    const isLast = last.at === booked?.paidAt && isRight(last.amount, booked, accepted)
    const before = booked && isBooked(booked) && !isLast ? saidAt(said, booked, accepted) : undefined
    const { amount, at: paidAt, instrument: method } = before ?? last
    return [{ ...sale, checkoutId: reference, userId: user, price, amount, method, paidAt, isOurs: true }]
  })
}

function isRight(amount: number, payment: BookedPayment, accepted: ReadonlySet<string>): boolean {
  return amount === payment.amount || (accepted.has(payment.id) && amount === payment.reviewed?.amount)
}

function saidAt(said: readonly Said[], payment: BookedPayment, accepted: ReadonlySet<string>) {
  const at = payment.paidAt ?? 0
  const one = said.find(
    ({ paymentId, amount, startedAt, endedAt }) =>
      paymentId === payment.id &&
      isRight(amount, payment, accepted) &&
      startedAt <= at &&
      at <= (endedAt ?? at),
  )
  return one && { ...one, at }
}

/** One to three operators at once, mostly on what was asked for lately; now and then on what is over or was decided. */
export function decisions(world: SimulatedWorld, process: Process): readonly Task[] {
  const { random, ledger } = world
  // Until a reference is kept by its payment, nobody has it.
  const isAsked = ({ payment }: BookedTransfer) =>
    ledger.payments.some(({ id, checkout }) => id === payment && checkout !== null)
  const transfers = ledger.transfers.filter(isAsked)
  if (transfers.length === 0) return []
  const open = transfers.filter(({ state }) => state === 'open' || state === 'ended')
  const transfer = random.pick(open.length > 0 && random.boolean(0.8) ? open : transfers)
  const payment = ledger.payments.find(({ id }) => id === transfer.payment)
  if (!payment) return []
  const amount = amountFor(world, transfer, payment)
  const instrument = random.pick(['ccp', 'ccp', 'baridimob'] as const)
  return Array.from({ length: random.pick([1, 1, 2, 3]) }, () => {
    const at = world.anyProcess() ?? process
    if (random.boolean(0.15)) return refusal(world, at, payment)
    return approval(world, at, { payment, by: random.pick(OPERATORS), amount, instrument })
  })
}

/** A second operator says mostly what the first said; a figure under review is put right. */
function amountFor(
  { random }: SimulatedWorld,
  { approvals }: BookedTransfer,
  { amount: price, status }: BookedPayment,
): number {
  const [last] = approvals.slice(-1)
  if (last && status !== 'review' && random.boolean(0.9)) return last.amount
  return random.boolean(0.8) ? price : random.pick([price - 1, price + 1, price * 10, 50])
}

function approval(
  world: SimulatedWorld,
  { state, parts }: Process,
  of: { readonly payment: BookedPayment } & Pick<Said, 'by' | 'amount' | 'instrument'>,
): Task {
  const { payment, by, amount, instrument } = of
  const { id: paymentId } = payment
  const said: Said = { by, paymentId, amount, instrument, startedAt: world.now, endedAt: null }
  const task: Task = {
    name: `${by} approves ${paymentId} of ${amount} by ${instrument}`,
    state,
    start: () => {
      world.transfers.said.push(said)
      const received = { amount, receivedAt: world.now, instrument }
      return approvePayment(parts, paymentId, received, { operator: by, reason: 'the simulation' })
    },
    ended: ({ kind }) => {
      said.endedAt = world.now
      world.figures.count(`acts: approves ${kind}`)
      if (kind === 'done') world.afterwards(() => requireHeard(world, said))
    },
  }
  return withExpectedErrors(world, task, ['conflict', 'second_operator_needed'])
}

/** What an operator was told to be done is done: booked, under review, or written down for the next operator. */
function requireHeard(world: SimulatedWorld, { paymentId, by }: Said): void {
  const { payments, transfers } = world.ledger
  const payment = payments.find(({ id }) => id === paymentId)
  const transfer = transfers.find((one) => one.payment === paymentId)
  // Approved, but not booked yet, is what another operator made it whose call then failed: the sweep books it in time.
  const isWritten = transfer?.approvals.some((one) => one.by === by)
  const isSettled = payment !== undefined && (isBooked(payment) || payment.status === 'review')
  require(isSettled || isWritten || transfer?.state === 'refused', RULE, () =>
    `${paymentId}: ${JSON.stringify(payment)}, ${JSON.stringify(transfer)}`)
}

function refusal(world: SimulatedWorld, { state, parts }: Process, { id }: BookedPayment): Task {
  const task: Task = {
    name: `the operator refuses ${id}`,
    state,
    start: () => {
      world.transfers.refused.add(id)
      return refusePayment(parts, id, { operator: 'operator', reason: 'the simulation' })
    },
    ended: ({ kind }) => world.figures.count(`acts: refuses ${kind}`),
  }
  return withExpectedErrors(world, task, ['conflict'])
}
