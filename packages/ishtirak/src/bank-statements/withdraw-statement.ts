// A bank statement that was read wrongly is withdrawn: its lines go, but for those that pay payments. Lines
// that another statement has too stay there.
import { act, actTexts } from '../acts/act.js'
import { auditEntry } from '../acts/audit.sql.js'
import { WhySchema } from '../acts/reason.js'
import { NO_USER, type Subject } from '../acts/subject.js'
import { BillingError } from '../core/error.js'
import { StatementParamsSchema, WithdrawnSchema } from './bank-schemas.js'
import { withdrawStatementRow } from './bank-statements.sql.js'
import { type BankDeps, readStatement, statementNamed } from './read-statement.js'
import { bankStatementsWords } from './words.js'

/** It may be gone: a second sending is answered all the same. */
const ANY_STATEMENT: Subject<BankDeps> = {
  name: 'statement',
  path: '/bank-statements/:statement_id',
  params: StatementParamsSchema,
  command: { group: 'bank-statements', argument: 'statement' },
  about: async () => ({ userId: NO_USER }),
  page: () => '/console/bank-statements',
}

/** Throws `not_found`; `conflict` if each line pays a payment, or lines are still being stored. */
async function countLines(deps: BankDeps, id: string) {
  const { statement, free } = await readStatement(deps, id)
  const { lines, storedLines } = statement
  if (free === 0 || storedLines < lines)
    throw new BillingError('conflict', { extra: { lines: lines - free } })
  return { lines, left: lines - free }
}

export const withdrawStatement = act<BankDeps>().does({
  name: 'statement.withdraw',
  roles: ['accountant'],
  on: ANY_STATEMENT,
  operationId: 'withdrawBankStatement',
  summary: 'Take back a bank statement that was read in wrongly',
  description:
    'Its lines go, whatever was made of them. Those that pay a payment stay, and the statement with them; ' +
    'those of another statement stay there. 409 where each pays one.',
  input: WhySchema,
  answer: WithdrawnSchema,
  texts: actTexts(bankStatementsWords, 'withdraw_statement'),
  run: async (deps, { id, by }) => {
    const { lines } = await statementNamed(deps, id)
    const now = deps.clock.now()
    const audit = auditEntry(
      deps.ids,
      { ...by, act: 'statement.withdraw' },
      { after: { statement_id: id }, now },
    )
    const counts = await withdrawStatementRow(deps.database, id, audit, now)
    if (!counts) throw new BillingError('conflict', { extra: { lines } })
    return { statement_id: id, withdrawn: counts.withdrawn, left: counts.kept }
  },
  preview: async (deps, { id }) => {
    const { lines, left } = await countLines(deps, id)
    const changes = [{ what: 'statementLines', before: String(lines), after: String(left) }]
    return { version: 0, changes, detail: null }
  },
  // What `run` gave, now or then.
  show: async (_deps, _call, outcome, earlier) => Object(earlier?.after ?? outcome),
})
