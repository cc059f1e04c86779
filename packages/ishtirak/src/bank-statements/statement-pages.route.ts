// The addresses of bank statements in the console.
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccountKind } from '../core/account.js'
import { BillingError } from '../core/error.js'
import { requireRole } from '../core/role.js'
import type { App } from '../http/app.js'
import { validatorCompiler } from '../http/schemas.js'
import { openFileForm, UPLOAD_CONFIG, type Uploads } from '../http/upload.js'
import { readLabels } from '../ledger/labels.js'
import { addressOf, type ConsolePages, goTo, sendPage } from '../pages/console-frame.js'
import { forOperators, viewOf } from '../pages/console-view.js'
import { queryOf } from '../pages/reader.js'
import type { SaidForm } from '../transfers/bank-form-schema.js'
import { BANK_FILE_BYTES_MAX } from './bank-file.js'
import { AWAITED_DAYS, awaited, IMPORT_STATEMENT, pageOfLines, READ_STATEMENTS } from './bank-readings.js'
import { ImportQuerySchema } from './bank-schemas.js'
import { findResults, newestStatements } from './bank-statements.sql.js'
import { type NotRead, statementsPage } from './bank-statements-page.js'
import { importStatement } from './import-statement.js'
import { type BankDeps, readStatement } from './read-statement.js'
import { statementPage } from './statement-page.js'

export type StatementPages = BankDeps & { readonly uploads: Uploads }

const SHOWN = 20

export function bankStatementRoutes(app: App, pages: ConsolePages & StatementPages): void {
  const hidden = forOperators(pages)
  const path = '/console/bank-statements'

  app.get(path, hidden, (request, reply) => sendList(pages, request, reply, null))

  app.get<{ Params: { statement_id: string } }>(`${path}/:statement_id`, hidden, async (request, reply) => {
    const view = viewOf(pages, request, reply)
    requireRole(view.session.operator, READ_STATEMENTS)
    const read = await readStatement(pages, request.params.statement_id)
    const done = queryOf(request, 'done')
    const results = done === undefined ? [] : ((await findResults(pages.database, done)) ?? [])
    const isChanged = queryOf(request, 'changed') !== undefined
    const labels = await readLabels(pages, { payments: results.map(({ payment_id }) => payment_id) })
    return sendPage(pages, reply, statementPage(pages, view, { read, results, labels, isChanged }))
  })

  app.register(async (own) => {
    // Read below, in the bounds of a file.
    own.addContentTypeParser('multipart/form-data', (_request, _body, done) => done(null))
    own.post(path, { ...hidden, config: UPLOAD_CONFIG }, (request, reply) => takeFile(pages, request, reply))
  })
}

async function takeFile(pages: ConsolePages & StatementPages, request: FastifyRequest, reply: FastifyReply) {
  const session = pages.operatorsHere.of(request)
  const { operator } = session
  // A form without a file is read already.
  const read = request.body instanceof URLSearchParams ? request.body : null
  const { fields, file } = read ? { fields: read, file: Readable.from([]) } : await openFileForm(request)
  request.body = fields
  pages.reader.requireOwnForm(request, session)
  requireRole(operator, IMPORT_STATEMENT)
  const typed = Object.fromEntries(
    [...fields].filter(([name, value]) => name !== 'form_token' && value.trim() !== ''),
  )
  try {
    const id = await pages.uploads.receive(`\0${operator.name}`, file, async (content) => {
      if (content.length > BANK_FILE_BYTES_MAX) throw new BillingError('payload_too_large')
      const { account, ...said } = readTyped(typed)
      return importStatement(pages, { account, said, file: content }, { operator, reason: null })
    })
    return goTo(pages, reply, addressOf('', 'bank-statements', id))
  } catch (error) {
    const codes = ['file_not_accepted', 'payload_too_large', 'validation_failed']
    if (!(error instanceof BillingError) || !codes.includes(error.code)) throw error
    return sendList(pages, request, reply.code(error.code === 'payload_too_large' ? 413 : 422), {
      error,
      typed,
    })
  }
}

const check = validatorCompiler({ schema: ImportQuerySchema, method: '', url: '', httpPart: 'querystring' })

/** Throws `validation_failed`. */
function readTyped(typed: Readonly<Record<string, string>>): SaidForm & { readonly account: AccountKind } {
  const checked = check(typed)
  if (typeof checked !== 'object' || !checked || !('value' in checked)) throw Object(checked).error
  // What the schema has let through.
  return checked.value as SaidForm & { readonly account: AccountKind }
}

async function sendList(
  pages: ConsolePages & StatementPages,
  request: FastifyRequest,
  reply: FastifyReply,
  notRead: NotRead | null,
) {
  const view = viewOf(pages, request, reply)
  requireRole(view.session.operator, READ_STATEMENTS)
  const cursor = queryOf(request, 'cursor') ?? null
  const [statements, lines, returned, transfers] = await Promise.all([
    newestStatements(pages.database, { after: null, limit: SHOWN }),
    pageOfLines(pages, {}, { cursor, limit: SHOWN }),
    pageOfLines(pages, { state: 'returned' }, { cursor: null, limit: SHOWN }),
    awaited(pages, AWAITED_DAYS),
  ])
  const shown = {
    statements: statements.slice(0, SHOWN),
    lines,
    returned: returned.items,
    transfers,
    notRead,
    isFirst: cursor === null,
  }
  return sendPage(
    pages,
    reply,
    statementsPage(pages, view, { ...shown, isDone: queryOf(request, 'done') !== undefined }),
  )
}
