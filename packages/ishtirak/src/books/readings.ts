// What operators read of the books: the figures of a month, its receipts, and its lines for the accountant.
import type { FastifyReply } from 'fastify'
import { CSV } from '../acts/descriptions.js'
import { list } from '../acts/list.js'
import { type CommandAnswer, reading } from '../acts/reading.js'
import { CSV_TYPE, sendFile } from '../acts/send-file.js'
import { type AccountsDeps, EXPORT, exportAccounts } from './accounts.js'
import type { FileFormat } from './file-words.js'
import { pageOfReceipts } from './journal.js'
import {
  AccountsQuerySchema,
  JournalEntrySchema,
  MonthParamsSchema,
  MonthSchema,
  viewJournalEntry,
  viewMonth,
} from './month-schemas.js'
import { type MonthsDeps, readMonthFigures } from './months.js'

export const getMonth = reading<MonthsDeps>().reads({
  path: '/months/:month',
  operationId: 'getMonth',
  summary:
    'What was paid and refunded in a month, by method and by day, with tax, duty and fees; and whose ' +
    'time began and ended',
  description:
    'A payment is of the month in which it was paid, a refund of the month in which it was recorded.',
  params: MonthParamsSchema,
  answer: MonthSchema,
  command: { usage: 'months <month>', show: flatMonth },
  read: async (deps, { params }) => viewMonth(await readMonthFigures(deps, params.month)),
})

export const receiptList = list<MonthsDeps>()({
  path: '/months/:month/receipts',
  operationId: 'getJournal',
  summary: 'The receipts of a month in the order they were paid, as in the file for the accountant',
  params: MonthParamsSchema,
  item: JournalEntrySchema,
  title: 'Journal',
  command: { usage: 'journal <month>', rows: 'receipts' },
  read: pageOfReceipts,
  view: () => viewJournalEntry,
})

export const readAccounts = reading<AccountsDeps>().reads({
  ...EXPORT,
  path: '/exports/accounts',
  operationId: 'exportAccounts',
  summary:
    'The payments and refunds of a month for the accountant, with tax, duty, fees and totals, and each ' +
    'change of balances, as CSV',
  query: AccountsQuerySchema,
  answer: CSV,
  command: { usage: 'export accounts', isFile: true },
  read: async (deps, { query: { month, format = 'plain', method: kind = null }, operator, reply }) =>
    sendMonth(
      reply,
      { file: 'accounts', month, format },
      await exportAccounts(deps, { month, format, kind, operator }),
    ),
})

export function sendMonth(
  reply: FastifyReply,
  { file, month, format }: { readonly file: string; readonly month: string; readonly format: FileFormat },
  pieces: AsyncIterable<string>,
): FastifyReply {
  const name = `${file}-${month}${format === 'excel' ? '-excel' : ''}.csv`
  return sendFile(reply, { type: CSV_TYPE, name, content: pieces })
}

/** A line of the tables has what was paid and refunded; days without either are left out. */
function flatMonth({ by_method, by_rate, by_day, ...month }: CommandAnswer): CommandAnswer {
  type Line = Readonly<Record<'paid' | 'refunded', CommandAnswer>> & CommandAnswer
  const lines = (list: unknown) =>
    (list as readonly Line[])
      .map(({ paid, refunded, ...named }) => ({
        ...named,
        ...paid,
        refunds: refunded.count,
        refunded: refunded.ttc,
      }))
      .filter(({ count, refunds }: CommandAnswer) => count !== 0 || refunds !== 0)
  return { ...month, by_method: lines(by_method), by_rate: lines(by_rate), by_day: lines(by_day) }
}
