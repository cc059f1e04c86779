// A bank statement that was read wrongly is withdrawn: its lines go, but for those that pay payments. Lines
// that another statement has too stay there.
import { act, actTexts } from '../acts/act.js'
import { auditEntry } from '../acts/audit.sql.js'
import { change } from '../acts/preview.js'
import { WhySchema } from '../acts/reason.js'
import { NO_USER, type Subject } from '../acts/subject.js'
import { BillingError } from '../core/error.js'
import { StatementParamsSchema, WithdrawnSchema } from './bank-schemas.js'
import { withdrawStatementRow } from './bank-statements.sql.js'
import { type BankDeps, readStatement } from './read-statement.js'
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

export const withdrawStatement = act<BankDeps>()({
  name: 'statement.withdraw',
  roles: ['accountant'],
  on: ANY_STATEMENT,
  operationId: 'withdrawBankStatement',
  summary: 'Take back a bank statement that was read in wrongly',
  description:
    'Its lines go, whatever was made of them. Those that pay a payment stay, and the statement with them; ' +
    'those of another statement stay there. 409 where each pays one.',
  input: WhySchema,
  // What `save` gave, now or then.
  answer: {
    schema: WithdrawnSchema,
    read: async (_deps, _call, outcome, earlier) => Object(earlier?.after ?? outcome),
  },
  texts: actTexts(bankStatementsWords, 'withdraw_statement'),
  plan: async (deps, { id, by }) => {
    const { statement, free } = await readStatement(deps, id)
    const { lines, storedLines } = statement
    const left = lines - free
    if (free === 0 || storedLines < lines) throw new BillingError('conflict', { extra: { lines: left } })
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
