// Bank statements as a capability: acts, readings, pages, the inbox, and the job that settles lines.
import type { Capability } from '../acts/capability.js'
import { MINUTE } from '../core/instant.js'
import { approveLines } from './approve-lines.js'
import { settleLines } from './bank-matches.sql.js'
import {
  awaitedList,
  getStatement,
  importBankStatement,
  lineList,
  READ_STATEMENTS,
  statementList,
} from './bank-readings.js'
import { addImportCommand } from './cli-import.js'
import { MONEY_RETURNED } from './inbox.js'
import { LINE_ACTS, withdrawStatement } from './line-acts.js'
import type { BankDeps } from './read-statement.js'
import { bankStatementRoutes, type StatementPages } from './statement-pages.route.js'
import './words.js'

export const bankStatements: Capability<BankDeps & StatementPages> = {
  name: 'bank-statements',
  acts: [approveLines, withdrawStatement, ...LINE_ACTS],
  readings: [
    ...[importBankStatement, ...statementList.readings, ...awaitedList.readings, getStatement],
    ...lineList.readings,
  ],
  helpHeading: 'Money:',
  commandGroups: { 'bank-statements': 'Bank statements: what came to the accounts, beside the transfers' },
  commands: addImportCommand,
  console: bankStatementRoutes,
  inbox: MONEY_RETURNED,
  sections: [{ key: 'statements', path: '/console/bank-statements', order: 2, permission: READ_STATEMENTS }],
  // Lines whose payments were booked since: approved by hand, or by a process that died before it closed the
  // line.
  jobs: (deps) => [
    {
      name: 'settle-bank-lines',
      stage: 'tidy',
      everyMs: MINUTE,
      run: () => settleLines(deps.database, deps.clock.now()),
    },
  ],
}
