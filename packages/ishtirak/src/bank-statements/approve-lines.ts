// Approves lines of a bank statement, each by the act that approves one transfer: with its own audit entry,
// second approval and refusals. An entry with all that is to be approved comes first, the results are the
// last one. If a process ends in the middle, the trail says why each line was approved, and a repetition
// does the rest.
import type { Static } from 'typebox'
import { act, type Change } from '../acts/act.js'
import { type OperatorAct, type Requester, recordAct } from '../acts/audit.sql.js'
import { changesOfOne, performOrRepeat, planOf } from '../acts/perform.js'
import { INSTRUMENTS } from '../core/account.js'
import { BillingError, wrongField } from '../core/error.js'
import { formatReference } from '../core/reference.js'
import type { Operator } from '../core/role.js'
import { findPaymentsById } from '../ledger/payments.sql.js'
import type { Field, Typed } from '../pages/field.js'
import { shortNumberOf } from '../runtime/secret.js'
import { approve, approveByLine, RECEIVED_AMOUNT_MAX } from '../transfers/decide.js'
import { LinesApprovalSchema, LinesApprovedSchema } from './bank-schemas.js'
import { findBankStatement, findResults, resultsOperation, settleLines } from './bank-statements.sql.js'
import {
  type BankDeps,
  type ReadStatement,
  readStatement,
  STATEMENT,
  type SureLine,
  toApprove,
} from './read-statement.js'

/** 100 approvals are answered within the time limit of a request. */
export const APPROVED_AT_ONCE = 100

interface Entry {
  readonly id: string
  readonly after: { readonly statement_id: string; readonly lines: readonly LineToApprove[] }
}

type Chosen = Pick<Static<typeof LinesApprovalSchema>, 'lines'>

export const approveLines = act<BankDeps>()({
  name: 'statement.approve',
  roles: ['accountant'],
  on: STATEMENT,
  countsEach: true,
  operationId: 'approveBankStatement',
  summary: 'Approve the transfers that lines of a bank statement are for',
  description:
    'Each as by `approvePayment`, in the name of the caller: from `second_approval_from` on it waits for ' +
    'another operator. One that is refused leaves the others as they are.',
  input: LinesApprovalSchema,
  fields: async (_pages, { say }, { typed }) => [
    { name: 'lines', label: '', value: '', type: 'hidden', read: chosenIn },
    ...choicesIn(typed),
    { name: 'why', label: say('reasonLabel'), value: say('approveLinesWhy'), type: 'text' },
  ],
  plan: async (deps, { id, input, by }) => {
    const wanted = wantedIn(await readStatement(deps, id), input, by.operator)
    // A preview has no reason.
    const shown = by.reason === null ? wanted : []
    const changes = await Promise.all(shown.map((one) => changesOf(deps, one, by)))
    const pairs = wanted.map(({ line, candidate }) => `${line.id} ${candidate.payment_id}`)
    return {
      version: shortNumberOf(pairs.join('\n')),
      changes: changes.flat(),
      save: async (): Promise<Entry> => {
        const after = { statement_id: id, lines: wanted.map(describeWanted) }
        const entryId = await recordAct(deps, by, { after })
        // A call with the same name was a moment faster: this one is its repetition.
        if (entryId === null) throw new BillingError('conflict')
        return { id: entryId, after }
      },
    }
  },
  finish: async (deps, { by }, saved) => {
    const entry = saved as Entry
    if (!(await findResults(deps.database, entry.id))) await approveAll(deps, entry, by)
  },
  answer: {
    schema: LinesApprovedSchema,
    read: async (deps, { id, by }, outcome, earlier) => {
      const entry = earlier ?? (outcome as Entry)
      const results = await findResults(deps.database, entry.id)
      // The statement may be withdrawn by now; what was approved is approved all the same.
      const left = (await findBankStatement(deps.database, id))
        ? toApprove(await readStatement(deps, id), by.operator).length
        : 0
      return { statement_id: id, results: results ?? [], left }
    },
  },
})

const CHOICE = /^line_(.+)$/

/** Hidden fields keep the choices that were made on the page of the statement. */
function choicesIn(typed: Typed): readonly Field[] {
  const names = Object.keys(typed).filter((name) => CHOICE.test(name) || name === 'chosen')
  return names.map((name) => ({ name, label: '', value: typed[name] ?? '', type: 'hidden' }))
}

/** The lines of the form, each with the payment that was chosen. Throws `validation_failed`. */
function chosenIn(typed: Typed): Chosen {
  if (typed.chosen === undefined) return {}
  const lines = Object.entries(typed).flatMap(([name, payment_id]) => {
    const [, line] = CHOICE.exec(name) ?? []
    return line === undefined || payment_id === '' ? [] : [{ line, payment_id }]
  })
  if (lines.length === 0) throw wrongField('lines', 'required')
  return { lines }
}

/** Throws `validation_failed`: a line is not open in the statement, or the payment is no candidate of it. */
function wantedIn(read: ReadStatement, { lines }: Chosen, operator: Operator): readonly SureLine[] {
  if (!lines) return toApprove(read, operator).slice(0, APPROVED_AT_ONCE)
  const byId = new Map(read.lines.map((line) => [line.id, line]))
  return lines.map(({ line: id, payment_id }) => {
    const line = byId.get(id)
    const candidate = line?.match?.candidates.find((one) => one.payment_id === payment_id)
    if (!line || !candidate) throw wrongField('lines', 'not_allowed')
    return { line, candidate }
  })
}

type LineToApprove = ReturnType<typeof describeWanted>

/** The amount is in dinars, and may have centimes. */
function describeWanted({ line, candidate: { payment_id, user_id } }: SureLine) {
  const received = { amount: line.centimes / 100, received_at: line.day }
  return { line: line.id, payment_id, user_id, ...received, payment_method: INSTRUMENTS[line.account] }
}

/** The input of the act that approves one transfer. Throws `wrong_amount`: centimes are not booked. */
function receivedBy({ amount, received_at, payment_method }: LineToApprove) {
  if (!Number.isInteger(amount) || amount > RECEIVED_AMOUNT_MAX) throw new BillingError('wrong_amount')
  return { amount, received_at, payment_method }
}

/** The changes that the preview shows. If a payment becomes paid, its change of access says so. */
const SHOWN = ['amountAsked', 'amountCame', 'status', 'access', 'refused']

async function changesOf(deps: BankDeps, wanted: SureLine, by: OperatorAct): Promise<readonly Change[]> {
  const { payment_id: id, reference, name, user_id } = wanted.candidate
  const of = [wanted.line.day, name ?? user_id, formatReference(reference)].join(' · ')
  const changes = await changesOfOne(of, async () =>
    planOf(approve, deps, { id, input: receivedBy(describeWanted(wanted)), by }),
  )
  return changes.filter(({ what, after }) => SHOWN.includes(what) && after !== 'paid')
}

const BECAME: Readonly<Record<string, 'approved' | 'review'>> = { paid: 'approved', review: 'review' }

/** Lines that were approved before under the same name are not approved again. */
async function approveAll(deps: BankDeps, { id, after: { lines } }: Entry, by: Requester): Promise<void> {
  const refusals = new Map<LineToApprove, string>()
  for (const one of lines)
    try {
      await approveOne(deps, one, by)
    } catch (error) {
      // What is not a refusal would fail for the next lines too.
      if (!(error instanceof BillingError)) throw error
      refusals.set(one, error.code)
    }
  await settleLines(deps.database, deps.clock.now())
  const ids = lines.map(({ payment_id }) => payment_id)
  const payments = await findPaymentsById(deps.database, ids)
  const statuses = new Map(payments.map((payment) => [payment.id, payment.status]))
  const results = lines.map((one) => {
    const { line, payment_id } = one
    const code = refusals.get(one) ?? null
    const became = BECAME[statuses.get(payment_id) ?? ''] ?? 'waits_for_second'
    return { line, payment_id, outcome: code === null ? became : 'refused', code } as const
  })
  const { operator, reason } = by
  const done = { operator, reason, act: 'statement.approved', operationId: resultsOperation(id) }
  await recordAct(deps, done, { after: { results } })
}

/** `by` names the approval of all lines; each line has an operation of its own. */
async function approveOne(deps: BankDeps, one: LineToApprove, by: Requester): Promise<void> {
  const { line, payment_id: paymentId, user_id: userId } = one
  const { operator, reason, operationId, operationName = operationId } = by
  const input = { ...receivedBy(one), ...(reason !== null && { why: reason }) }
  const named = operationName === undefined ? {} : { operationId: `${operationName} ${line}` }
  const call = { id: paymentId, input, by: { operator, reason, ...named } }
  await performOrRepeat(approveByLine(line), deps, call, { userId, paymentId })
}
