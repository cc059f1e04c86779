// Approves lines of a bank statement, each by the act that approves one transfer: with its own audit entry,
// second approval and refusals. An entry with all that is to be approved comes first, the results are the
// last one. One query saves the approval of a line, which line pays the transfer, and the entry that names
// both. If a process ends in the middle, the trail says why each line was approved, and a repetition does
// the rest.
import type { Static } from 'typebox'
import { act } from '../acts/act.js'
import type { Field, Typed } from '../acts/act-page.js'
import { type By, type OperatorAct, recordAct } from '../acts/audit.sql.js'
import { changesOfOne, performOrRepeat, planOf } from '../acts/perform.js'
import type { Change } from '../acts/preview.js'
import { INSTRUMENTS, type TransferInstrument } from '../core/account.js'
import { BillingError, wrongField } from '../core/error.js'
import { formatReference } from '../core/reference.js'
import type { Operator } from '../core/role.js'
import { approve, approveByLine, RECEIVED_AMOUNT_MAX } from '../transfers/decide.js'
import { outcomesOf, settleLines } from './bank-matches.sql.js'
import { LinesApprovalSchema, LinesApprovedSchema } from './bank-schemas.js'
import { findBankStatement, findResults, resultsOperation } from './bank-statements.sql.js'
import {
  type BankDeps,
  type ReadStatement,
  readStatement,
  STATEMENT,
  type SureLine,
  toApprove,
  versionOf,
} from './read-statement.js'

/** 100 approvals are answered within the time limit of a request. */
export const APPROVED_AT_ONCE = 100

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
  answer: {
    schema: LinesApprovedSchema,
    read: async (deps, { id, by }, outcome, earlier) => {
      const { id: entryId } = earlier ?? (outcome as Entry)
      const results = await findResults(deps.database, entryId)
      // The statement may be withdrawn by now; what was approved is approved all the same.
      const left = (await findBankStatement(deps.database, id))
        ? toApprove(await readStatement(deps, id), by.operator).length
        : 0
      return { statement_id: id, results: results ?? [], left }
    },
  },
  fields: async (_pages, { say }, { typed }) => [
    { name: 'lines', label: '', value: '', type: 'hidden', read: linesIn },
    ...choicesIn(typed),
    { name: 'why', label: say('reasonLabel'), value: say('approveLinesWhy'), type: 'text' },
  ],
  plan: async (deps, { id, input, by }) => {
    const read = await readStatement(deps, id)
    const wanted = wantedIn(read, input, by.operator)
    // A preview has no reason.
    const shown = by.reason === null ? wanted : []
    const changes = await Promise.all(shown.map((one) => changesOf(deps, one, by)))
    return {
      version: versionOf(wanted),
      changes: changes.flat(),
      save: async () => {
        const after: Approval = { statement_id: id, lines: wanted.map(describeLine) }
        const entryId = await recordAct(deps, by, { after })
        // A call with the same name was a moment faster: this one is its repetition.
        if (entryId === null) throw new BillingError('conflict')
        return { id: entryId, after }
      },
    }
  },
  finish: async (deps, { by }, { id: entryId, after }) => {
    if (await findResults(deps.database, entryId)) return
    const { operationId, operationName = operationId, ...rest } = by
    const named = operationName === undefined ? rest : { ...rest, operationName }
    // The entry has what `save` wrote.
    await approveAll(deps, { entryId, ...(after as unknown as Approval) }, named)
  },
})

interface Entry {
  readonly id: string
  readonly after: Approval
}

/** The changes that the preview shows. If a payment becomes paid, its change of access says so. */
const SHOWN = ['amountAsked', 'amountCame', 'status', 'access', 'refused']

/** The changes by approving one transfer. */
async function changesOf(deps: BankDeps, chosen: SureLine, by: OperatorAct): Promise<readonly Change[]> {
  const { line, candidate } = chosen
  const { paymentId, reference, name, userId } = candidate.transfer
  const of = [line.day, name ?? userId, formatReference(reference)].join(' · ')
  const changes = await changesOfOne(of, async () =>
    planOf(approve, deps, { id: paymentId, input: receivedBy(describeLine(chosen)), by }),
  )
  return changes.filter(({ what, after }) => SHOWN.includes(what) && after !== 'paid')
}

const CHOICE = /^line_(.+)$/

/** Keeps the choices that were made on the page of the statement. */
function choicesIn(typed: Typed): readonly Field[] {
  const names = Object.keys(typed).filter((name) => CHOICE.test(name) || name === 'chosen')
  return names.map((name) => ({ name, label: '', value: typed[name] ?? '', type: 'hidden' }))
}

/** The lines of the form, each with the payment that was chosen. Throws `validation_failed`. */
function linesIn(typed: Typed): Pick<Static<typeof LinesApprovalSchema>, 'lines'> {
  if (typed.chosen === undefined) return {}
  const lines = Object.entries(typed).flatMap(([name, payment_id]) => {
    const [, line] = CHOICE.exec(name) ?? []
    return line === undefined || payment_id === '' ? [] : [{ line, payment_id }]
  })
  if (lines.length === 0) throw wrongField('lines', 'required')
  return { lines }
}

/** Throws `validation_failed`: a line is not open in the statement, or the payment is no candidate of it. */
function wantedIn(
  read: ReadStatement,
  { lines: named }: Pick<Static<typeof LinesApprovalSchema>, 'lines'>,
  operator: Operator,
): readonly SureLine[] {
  if (!named) return toApprove(read, operator).slice(0, APPROVED_AT_ONCE)
  const byId = new Map(read.lines.map((line) => [line.id, line]))
  return named.map(({ line: id, payment_id }) => {
    const line = byId.get(id)
    const candidate = line?.match?.candidates.find(({ transfer }) => transfer.paymentId === payment_id)
    if (!line || !candidate) throw wrongField('lines', 'not_allowed')
    return { line, candidate }
  })
}

/** All that is to be approved, as its entry in the audit trail has it. */
interface Approval {
  readonly statement_id: string
  readonly lines: readonly LineToApprove[]
}

interface LineToApprove {
  readonly line: string
  readonly payment_id: string
  readonly user_id: string
  /** Dinars; centimes are not booked. */
  readonly amount: number
  readonly received_at: string
  readonly payment_method: TransferInstrument
}

function describeLine({ line, candidate: { transfer } }: SureLine): LineToApprove {
  return {
    ...{ line: line.id, payment_id: transfer.paymentId, user_id: transfer.userId },
    ...{ amount: line.centimes / 100, received_at: line.day, payment_method: INSTRUMENTS[line.account] },
  }
}

const BECAME: Readonly<Record<string, 'approved' | 'review'>> = { paid: 'approved', review: 'review' }

/** Lines that were approved before under the same name are not approved again. */
async function approveAll(
  deps: BankDeps,
  { entryId, lines }: Approval & { readonly entryId: string },
  by: By,
): Promise<void> {
  const refusals = new Map<LineToApprove, string>()
  for (const one of lines) {
    const code = await refusalOf(() => approveOne(deps, one, by))
    if (code !== null) refusals.set(one, code)
  }
  const transfers = lines.map(({ user_id, payment_id }) => ({ userId: user_id, paymentId: payment_id }))
  const [statuses] = await Promise.all([
    outcomesOf(deps.database, transfers),
    settleLines(deps.database, deps.clock.now()),
  ])
  const results = lines.map((one) => {
    const { line, payment_id } = one
    const code = refusals.get(one) ?? null
    const became = BECAME[statuses.get(payment_id) ?? ''] ?? 'waits_for_second'
    return { line, payment_id, outcome: code === null ? became : 'refused', code } as const
  })
  const { operator, reason } = by
  const told = { operator, reason, act: 'statement.approved', operationId: resultsOperation(entryId) }
  await recordAct(deps, told, { after: { results } })
}

/** Null: the act was done. Throws what is not a refusal: the next lines would fail too. */
async function refusalOf(work: () => Promise<void>): Promise<string | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (error instanceof BillingError) return error.code
    throw error
  }
}

async function approveOne(
  deps: BankDeps,
  one: LineToApprove,
  { operator, reason, operationName }: By,
): Promise<void> {
  const { line, payment_id: paymentId, user_id: userId } = one
  const input = { ...receivedBy(one), ...(reason !== null && { why: reason }) }
  const named = operationName === undefined ? {} : { operationId: `${operationName} ${line}` }
  const call = { id: paymentId, input, by: { operator, reason, ...named } }
  await performOrRepeat(approveByLine(line), deps, call, { userId, paymentId })
}

/** The input of the act that approves one transfer. Throws `wrong_amount`: centimes are not booked. */
function receivedBy({ amount, received_at, payment_method }: LineToApprove) {
  if (!Number.isInteger(amount) || amount > RECEIVED_AMOUNT_MAX) throw new BillingError('wrong_amount')
  return { amount, received_at, payment_method }
}
