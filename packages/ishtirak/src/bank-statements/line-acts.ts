// Acts on a line without a payment: it is set aside, marked as a payout of the card provider, or opened
// again. The act on a statement that was read wrongly removes the statement and its lines, except the lines
// that pay payments.
import { Type } from 'typebox'
import { act, change, WhySchema } from '../acts/act.js'
import { auditEntry } from '../acts/audit.sql.js'
import { NO_USER, type Subject } from '../acts/subject.js'
import { BillingError } from '../core/error.js'
import { viewAs } from '../http/schemas.js'
import { LineSchema, WithdrawnSchema } from './bank-schemas.js'
import { decideLine, findLine, type StoredLine, withdrawStatementRow } from './bank-statements.sql.js'
import { type BankDeps, describeBankLine, matched, readStatement, STATEMENT } from './read-statement.js'

const LINE: Subject<BankDeps> = {
  name: 'bank_line',
  path: '/bank-lines/:line_id',
  params: Type.Object({ line_id: Type.String() }),
  command: { group: 'bank-statements', argument: 'line' },
  about: async (deps, id) => {
    const { day, text } = await lineNamed(deps, id)
    return { userId: NO_USER, label: () => `${day} · ${text}` }
  },
  page: () => '/console/bank-lines',
}

/** Throws `not_found`. */
async function lineNamed({ database }: Pick<BankDeps, 'database'>, id: string) {
  const line = await findLine(database, id)
  if (!line) throw new BillingError('not_found', { extra: { line_id: id } })
  return line
}

export type LineAct = 'set_aside' | 'mark_payout' | 'reopen'

/**
 * The state that an act would give to a line; null: the act is not possible. A line that pays a payment is
 * decided by that payment. Money that went out is no payout, and is opened again as what it was.
 */
export function stateAfter({ state, payment_id, centimes }: StoredLine, act: LineAct) {
  const isOut = centimes < 0
  const becomes = {
    set_aside: 'set_aside',
    mark_payout: isOut ? null : 'payout',
    reopen: isOut ? 'returned' : 'open',
  } as const
  return state === 'approved' || payment_id !== null || state === becomes[act] ? null : becomes[act]
}

function lineAct(verb: LineAct, of: { readonly operationId: string; readonly summary: string }) {
  return {
    verb,
    act: act<BankDeps>()({
      name: `bank_line.${verb}`,
      roles: ['accountant'],
      on: LINE,
      ...of,
      description: '409 where it pays a payment, or is so already.',
      input: WhySchema,
      answer: {
        schema: LineSchema,
        read: async (deps, { id }) => {
          const [line] = await matched(deps, [await lineNamed(deps, id)])
          return line && viewAs(LineSchema, describeBankLine(line))
        },
      },
      plan: async (deps, { id, by }) => {
        const line = await lineNamed(deps, id)
        const state = stateAfter(line, verb)
        if (state === null) throw new BillingError('conflict', { extra: { line_state: line.state } })
        return {
          version: 0,
          changes: [change.state('lineState', `line_${line.state}`, `line_${state}`)],
          save: async () => {
            const now = deps.clock.now()
            const facts = { before: { state: line.state }, after: { line_id: line.id, state }, now }
            const audit = auditEntry(deps.ids, by, facts)
            return (await decideLine(deps.database, line, state, audit, now)) ? 'saved' : 'stale'
          },
        }
      },
    }),
  }
}

export const LINE_ACTS = [
  lineAct('set_aside', {
    operationId: 'setBankLineAside',
    summary: 'Say of a line of a bank statement that it is for no payment here',
  }),
  lineAct('mark_payout', {
    operationId: 'markPayout',
    summary: 'Say of a line of a bank statement that the provider of cards paid it out',
  }),
  lineAct('reopen', { operationId: 'reopenBankLine', summary: 'Open a line of a bank statement again' }),
]

/** The statement may be gone already: a repeated call is answered like the first one. */
const ANY_STATEMENT: Subject<BankDeps> = {
  ...STATEMENT,
  about: async () => ({ userId: NO_USER }),
  page: () => '/console/bank-statements',
}

export const withdrawStatement = act<BankDeps>()({
  name: 'statement.withdraw',
  roles: ['accountant'],
  on: ANY_STATEMENT,
  operationId: 'withdrawBankStatement',
  summary: 'Take back a bank statement that was read in wrongly',
  description:
    'Its lines go, whatever was made of them. Those that pay a payment stay, and the statement with them. ' +
    '409 if each pays one.',
  input: WhySchema,
  // A repetition is answered from the audit trail, with what `save` gave then.
  answer: {
    schema: WithdrawnSchema,
    read: async (_deps, _call, outcome, earlier) => Object(earlier?.after ?? outcome),
  },
  plan: async (deps, { id, by }) => {
    const { lines: of, paying: left } = await readStatement(deps, id)
    const lines = of.length
    if (lines > 0 && lines === left) throw new BillingError('conflict', { extra: { lines } })
    return {
      version: 0,
      changes: [change.count('statementLines', lines, left)],
      save: async () => {
        const now = deps.clock.now()
        const audit = auditEntry(deps.ids, by, { after: { statement_id: id }, now })
        const counts = await withdrawStatementRow(deps.database, id, audit, now)
        if (!counts) throw new BillingError('conflict', { extra: { lines } })
        return { statement_id: id, withdrawn: counts.withdrawn, left: counts.kept }
      },
    }
  },
})
