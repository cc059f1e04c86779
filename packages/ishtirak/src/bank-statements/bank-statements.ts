// Bank statements as a capability: acts, readings, pages, the inbox, and the job that settles lines.
import type { Capability } from '../acts/capability.js'
import { MINUTE } from '../core/instant.js'
import { approveLines } from './approve-lines.js'
import { type BankPages, bankStatementRoutes } from './bank-pages.js'
import {
  getStatement,
  importBankStatement,
  lineList,
  READ_STATEMENTS,
  statementList,
} from './bank-readings.js'
import { RETURNED, settleLines } from './bank-statements.sql.js'
import { LINE_ACTS, withdrawStatement } from './line-acts.js'

export const bankStatements: Capability<BankPages> = {
  name: 'bank-statements',
  acts: [approveLines, withdrawStatement, ...LINE_ACTS.map(({ act }) => act)],
  readings: [importBankStatement, ...statementList.readings, getStatement, ...lineList.readings],
  helpHeading: 'Money:',
  commandGroups: { 'bank-statements': 'Bank statements: what came to the accounts, beside the transfers' },
  console: bankStatementRoutes,
  inbox: [
    {
      name: 'money_returned',
      place: 12,
      urgency: 'now',
      isMoney: true,
      select: RETURNED,
      nextActs: ['payment.refund', 'bank_line.set_aside'],
      next: () => 'payment.refund',
      detailIs: 'the day on which it went out',
      detail: ({ formats }, { say, locale }, day) =>
        say('returnedOnDay', { day: formats.day(Date.parse(day), locale) }),
    },
  ],
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
