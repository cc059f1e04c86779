// What operators read of twelve months: the figures, and the same as CSV.
import type { FastifyReply } from 'fastify'
import { CSV } from '../acts/descriptions.js'
import type { CommandAnswer } from '../acts/reading.js'
import { reading } from '../acts/reading.js'
import { CSV_TYPE, sendFile } from '../acts/send-file.js'
import { type Operator, requireRole } from '../core/role.js'
import { type AccountsDeps, EXPORT, recordExport } from './accounts.js'
import { type FileFormat, FORMS } from './file-words.js'
import type { MonthsDeps } from './months.js'
import { readYear } from './year.js'
import { viewYear, YearParamsSchema, YearQuerySchema, YearSchema, yearAsCsv } from './year-schemas.js'

export const getYear = reading<MonthsDeps>().reads({
  path: '/years/:until',
  operationId: 'getYear',
  summary:
    'Twelve months side by side: money by method; users with paid time, new, renewed, lapsed and come ' +
    'back; and what became of those who began in each',
  params: YearParamsSchema,
  answer: YearSchema,
  command: { usage: 'year <until>', show: flatYear },
  read: async (deps, { params }) => viewYear(await readYear(deps, params.until)),
})

export const readYearFile = reading<AccountsDeps>().reads({
  ...EXPORT,
  path: '/exports/year',
  operationId: 'exportYear',
  summary: 'Twelve months as CSV, a line for each',
  query: YearQuerySchema,
  answer: CSV,
  command: { usage: 'export year', isFile: true },
  read: (deps, { query: { until }, operator, reply }) =>
    sendYear(deps, { until, format: 'plain', operator, reply }),
})

/** Written to the audit trail. Throws `validation_failed`. */
export async function sendYear(
  deps: AccountsDeps,
  of: {
    readonly until: string
    readonly format: FileFormat
    readonly operator: Operator
    readonly reply: FastifyReply
  },
): Promise<FastifyReply> {
  const { until, format, operator, reply } = of
  requireRole(operator, EXPORT)
  const figures = await readYear(deps, until)
  await recordExport(deps, operator, { until, file: 'year' })
  const content = yearAsCsv(figures, FORMS[format])
  return sendFile(reply, { type: CSV_TYPE, name: `year-${until}.csv`, content })
}

/** A line of the table for each month. */
function flatYear({ months, ...year }: CommandAnswer): CommandAnswer {
  const lines = (months as readonly CommandAnswer[]).map(({ users, later: _, by_method, ...month }) => ({
    ...month,
    ...Object(users),
  }))
  return { ...year, months: lines }
}
