// What leaves as a file: the payments of a month, and a backup of everything.
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { App } from '../http/app.js'
import { type BackupDeps, backUp } from './backup.js'
import { type ExportDeps, exportPayments } from './export.js'
import { BASE, type OperatorRouteDeps, reads } from './route.js'
import { ExportQuerySchema } from './schemas.js'

export type ExportRoutesDeps = OperatorRouteDeps & ExportDeps & BackupDeps

/** A text to the reader, a stream to the route. */
const FILE = Type.Unsafe<Readable>({ type: 'string' })
const BINARY_FILE = Type.Unsafe<Readable>({ type: 'string', format: 'binary' })

export function exportRoutes(app: App, deps: ExportRoutesDeps): void {
  const exportSchema = {
    ...reads({ description: 'RFC 4180, UTF-8', content: { 'text/csv': { schema: FILE } } }),
    operationId: 'exportPayments',
    summary: 'The payments of a month, as CSV',
    querystring: ExportQuerySchema,
  }
  app.get(`${BASE}/exports/payments`, { schema: exportSchema }, async (request, reply) => {
    const { month } = request.query
    const pieces = await exportPayments(deps, { month, operator: deps.operators.of(request) })
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="payments-${month}.csv"`)
      .send(Readable.from(pieces))
  })
  const backupSchema = {
    ...reads({
      description: 'gzip; personal data',
      content: { 'application/gzip': { schema: BINARY_FILE } },
    }),
    operationId: 'downloadBackup',
    summary: 'Everything in the database, as a file for `ishtirak restore`',
  }
  app.get(`${BASE}/backup`, { schema: backupSchema }, async (request, reply) => {
    const content = await backUp(deps, { operator: deps.operators.of(request) })
    return reply
      .type('application/gzip')
      .header('content-disposition', 'attachment; filename="ishtirak.backup.gz"')
      .send(Readable.from(content))
  })
}
