// Approves lines of a bank statement, each by the act that approves one transfer: with its own audit entry,
// second approval and refusals. One statement saves the approval, which line pays the transfer, and the entry
// that names both: a process that ends in the middle has approved nothing that the trail does not show.
import type { Static } from 'typebox'
import { act, actTexts } from '../acts/act.js'
import { type By, recordAct, requireUnchanged } from '../acts/audit.sql.js'
import type { Typed } from '../acts/form.js'
import { performOrRepeat } from '../acts/perform.js'
import type { Preview } from '../acts/preview.js'
import { NO_USER, type Subject } from '../acts/subject.js'
import { INSTRUMENTS } from '../core/account.js'
import type { Candidate, PayableTransfer } from '../core/bank-match.js'
import { BillingError, wrongField } from '../core/error.js'
import { formatReference } from '../core/reference.js'
import type { Operator } from '../core/role.js'
import { RECEIVED_AMOUNT_MAX } from '../transfers/approval-schemas.js'
import { approveByLine } from '../transfers/decide.js'
import { outcomesOf, settleLines } from './bank-matches.sql.js'
import {
  type LineResult,
  LinesApprovalSchema,
  LinesApprovedSchema,
  StatementParamsSchema,
} from './bank-schemas.js'
import { findBankStatement, someOfStatement } from './bank-statements.sql.js'
import {
  type BankDeps,
  isStored,
  matched,
  type ReadStatement,
  readStatement,
  type SureLine,
  statementNamed,
  toApprove,
  versionOf,
} from './read-statement.js'
import { statementsWords } from './words.js'

/** So many are answered in time. */
export const APPROVED_AT_ONCE = 100

const STATEMENT: Subject<BankDeps> = {
  name: 'statement',
  path: '/statements/:statement_id',
  params: StatementParamsSchema,
  command: { group: 'statements', argument: 'statement' },
  about: async (deps, id) => {
    const { firstDay, lastDay } = await statementNamed(deps, id)
    return { userId: NO_USER, label: () => `${firstDay} – ${lastDay}` }
  },
}

/** `amount`: in dinars; null: what was asked for. */
type Chosen = SureLine & { readonly amount: number | null }

export const approveLines = act<BankDeps>().does({
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
  tells: ['lines'],
  answer: LinesApprovedSchema,
  texts: actTexts(statementsWords, 'approve_lines'),
  form: {
    fields: async () => [],
    asks: null,
    reason: ({ say }) => say('approveLinesWhy'),
    read: (_pages, typed) => linesIn(typed),
    inWords: (pages, { say, locale }, { detail: wanted }: Preview<readonly Chosen[]>, typed) => ({
      hidden: choicesIn(typed),
      changes: wanted.map(({ line, candidate: { transfer }, amount }) => {
        const { amountAsked, reference, name, userId } = transfer
        const day = pages.formats.day(Date.parse(line.day), locale)
        const came = pages.formats.centimes(line.centimes, locale)
        return {
          name: [day, name ?? userId, formatReference(reference)].join(' · '),
          before: pages.formats.money(amountAsked, locale),
          after: (amount ?? amountAsked) === amountAsked ? came : `${came} · ${say('became_review')}`,
        }
      }),
    }),
  },
  run: async (deps, { id, input, by }) => {
    const read = await readStatement(deps, id)
    const wanted = await wantedIn(deps, read, input, by.operator)
    requireUnchanged(by, versionOf(wanted))
    const results = await approveAll(deps, read, wanted, by)
    const after = { statement_id: id, results }
    await recordAct(deps, { ...by, act: 'statement.approve' }, { after })
    return after
  },
  preview: async (deps, { id, input, by }) => {
    const wanted = await wantedIn(deps, await readStatement(deps, id), input, by.operator)
    const changes = wanted.map(({ line, candidate: { transfer } }) => ({
      what: `${line.day} · ${transfer.name ?? transfer.userId}`,
      before: `${transfer.amountAsked} DZD`,
      after: `${line.centimes / 100} DZD`,
    }))
    return { version: versionOf(wanted), changes, detail: wanted }
  },
  show: async (deps, { id, by }, outcome, earlier) => {
    // What `run` gave, now or then.
    const { results } = (earlier?.after ?? outcome) as { readonly results: readonly LineResult[] }
    // The statement may be withdrawn by now; what was approved is approved all the same.
    const left = (await findBankStatement(deps.database, id))
      ? toApprove(await readStatement(deps, id), by.operator).length
      : 0
    return { statement_id: id, results: [...results], left }
  },
})

const CHOICE = /^line_(.+)$/

function choicesIn(typed: Typed): Typed {
  const names = Object.keys(typed).filter((name) => CHOICE.test(name) || name === 'chosen')
  return Object.fromEntries(names.map((name) => [name, typed[name] ?? '']))
}

/** Of the form: each line with the payment that was chosen, or several. Throws `validation_failed`. */
function linesIn(typed: Typed): Pick<Static<typeof LinesApprovalSchema>, 'lines'> {
  if (typed.chosen === undefined) return {}
  const lines = Object.entries(typed).flatMap(([name, value]) => {
    const [, line] = CHOICE.exec(name) ?? []
    const payments = line === undefined ? [] : value.split(' ').filter(Boolean)
    return payments.map((payment_id) => ({ line: line ?? '', payment_id }))
  })
  if (lines.length === 0) throw wrongField('lines', 'required')
  return { lines }
}

/**
 * Throws `conflict` while lines of the file are still being stored, `validation_failed` if a line is not open
 * in the statement, or if the payment is not one of its candidates.
 */
async function wantedIn(
  deps: BankDeps,
  read: ReadStatement,
  { lines: named }: Pick<Static<typeof LinesApprovalSchema>, 'lines'>,
  operator: Operator,
): Promise<readonly Chosen[]> {
  const { statement } = read
  const { lines, storedLines } = statement
  if (!isStored(statement))
    throw new BillingError('conflict', { extra: { lines, stored_lines: storedLines } })
  if (!named)
    return toApprove(read, operator)
      .slice(0, APPROVED_AT_ONCE)
      .map((one) => ({ ...one, amount: null }))
  const ids = [...new Set(named.map(({ line }) => line))]
  const found = await matched(deps, await someOfStatement(deps.database, statement.id, ids))
  const byId = new Map(found.map((line) => [line.id, line]))
  return named.map(({ line: id, payment_id }) => {
    const line = byId.get(id)
    const candidate = line?.match?.candidates.find(({ transfer }) => transfer.paymentId === payment_id)
    if (!line || !candidate) throw wrongField('lines', 'not_allowed')
    const isOne = named.filter((one) => one.line === id).length === 1
    return { line, candidate, amount: isOne ? line.centimes / 100 : sharedAmount(candidate) }
  })
}

/** Of a line that pays several, what was asked for; a line that does not add up cannot be shared out. */
function sharedAmount({ rule }: Candidate): number | null {
  return rule === 'sum_of_references' ? null : Number.NaN
}

async function approveAll(
  deps: BankDeps,
  { statement }: ReadStatement,
  wanted: readonly Chosen[],
  by: By,
): Promise<readonly LineResult[]> {
  const refusals = new Map<Chosen, string>()
  for (const one of wanted) {
    const ofLine = wanted.filter(({ line }) => line.id === one.line.id)
    const together = ofLine.map(({ candidate }) => candidate.transfer)
    const code = await refusalOf(() => approveOne(deps, one, { account: statement.account, together }, by))
    if (code !== null) refusals.set(one, code)
  }
  const transfers = wanted.map(({ candidate }) => candidate.transfer)
  const [statuses] = await Promise.all([
    outcomesOf(deps.database, transfers),
    settleLines(deps.database, deps.clock.now()),
  ])
  return wanted.map((one) => {
    const { line, candidate } = one
    const { transfer } = candidate
    const code = refusals.get(one) ?? null
    const status = statuses.get(transfer.paymentId)
    const outcome =
      code !== null
        ? 'refused'
        : status === 'paid'
          ? 'approved'
          : status === 'review'
            ? status
            : 'waits_for_second'
    return { line: line.id, payment_id: transfer.paymentId, outcome, code }
  })
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
  { line, candidate: { transfer }, amount }: Chosen,
  of: { readonly account: keyof typeof INSTRUMENTS; readonly together: readonly PayableTransfer[] },
  { operator, reason, operationName }: By,
): Promise<void> {
  const { userId, paymentId } = transfer
  const dinars = amount ?? transfer.amountAsked
  // Centimes are not booked.
  if (!Number.isInteger(dinars) || dinars > RECEIVED_AMOUNT_MAX) throw new BillingError('wrong_amount')
  const received = { amount: dinars, received_at: line.day, payment_method: INSTRUMENTS[of.account] }
  const named = operationName === undefined ? {} : { operationId: `${operationName} ${line.id}` }
  const input = { ...received, ...(reason !== null && { why: reason }) }
  const paying = { id: line.id, paymentIds: of.together.map((one) => one.paymentId) }
  const call = { id: paymentId, input, by: { operator, reason, ...named } }
  await performOrRepeat(approveByLine(paying), deps, call, { userId, paymentId })
}
