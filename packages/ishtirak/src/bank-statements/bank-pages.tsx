// Bank statements in the console: the form that reads one in, the statements, their lines, and the transfers
// that no line names.
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { listRoute } from '../acts/list-page.js'
import { INSTRUMENTS } from '../core/account.js'
import { BillingError } from '../core/error.js'
import { type Permission, requireRole } from '../core/role.js'
import type { App } from '../http/app.js'
import { checker } from '../http/schemas.js'
import { fileFormRoute, openFileForm, type Uploads } from '../http/upload.js'
import { instrumentName, isConsoleKey, problemInWords } from '../i18n/messages.js'
import {
  addressOf,
  type ConsolePages,
  consolePage,
  goTo,
  sendPage,
  type View,
} from '../pages/console-frame.js'
import { type Column, Hint, Notices, Table } from '../pages/console-parts.js'
import { forOperators, viewOf } from '../pages/console-view.js'
import { type Field, Input, type Typed } from '../pages/field.js'
import { Card, FormToken, LinkButton, Notice, SubmitButton } from '../pages/parts.js'
import { queryOf } from '../pages/reader.js'
import { BANK_FILE_BYTES_MAX } from './bank-file.js'
import { bankForm } from './bank-form.js'
import { IMPORT_STATEMENT, lineList, statementList } from './bank-readings.js'
import { type ImportQuery, ImportQuerySchema, LINE_STATES } from './bank-schemas.js'
import type { StoredStatement } from './bank-statements.sql.js'
import { importStatement } from './import-statement.js'
import { DECIMALS, daysOf, fileColumns, LINES } from './line-columns.js'
import type { BankDeps } from './read-statement.js'
import { statementRoute } from './statement-page.js'

export type BankPages = BankDeps & { readonly uploads: Uploads }
type Pages = ConsolePages & BankPages & { readonly acts: readonly Permission[] }

const SHOWN = 20

export function bankStatementRoutes(app: App, pages: Pages): void {
  listRoute(app, pages, {
    path: 'bank-statements',
    title: 'statementsRead',
    section: 'statements',
    list: statementList,
    fields: {},
    shown: SHOWN,
    empty: 'noStatements',
    columns: STATEMENTS,
    head: ({ view, request }) => ({
      title: view.say('statements'),
      above: (
        <>
          <Notices of={doneIn(view, request)} />
          <ImportForm {...{ pages, view }} notRead={null} />
        </>
      ),
      links: (
        <>
          <LinkButton href={addressOf(pages.base, 'bank-lines')} label={view.say('moneyWithoutPayment')} />
          <LinkButton
            href={`${addressOf(pages.base, 'bank-lines')}?state=returned`}
            label={view.say('linesReturned')}
          />
        </>
      ),
    }),
  })

  listRoute(app, pages, {
    path: 'bank-lines',
    title: 'moneyWithoutPayment',
    section: 'statements',
    list: lineList,
    fields: { state: ['lineState', (_, { say }) => LINE_STATES.map((one) => [one, say(`line_${one}`)])] },
    shown: SHOWN,
    columns: LINES,
    head: ({ view, request }) => ({ above: <Notices of={doneIn(view, request)} /> }),
  })

  statementRoute(app, pages)

  fileFormRoute(app, '/console/bank-statements', forOperators(pages), (request, reply) =>
    takeFile(pages, request, reply),
  )
}

/** An act on a line or a statement has led to this page. */
function doneIn({ say }: View, request: FastifyRequest) {
  return [queryOf(request, 'done') === undefined ? null : say('lineDone')]
}

async function takeFile(pages: Pages, request: FastifyRequest, reply: FastifyReply) {
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
      // The schema has checked the members.
      return importStatement(pages, checkTyped(typed) as ImportQuery, content, operator)
    })
    return goTo(pages, reply, addressOf('', 'bank-statements', id))
  } catch (error) {
    const codes = ['file_not_accepted', 'payload_too_large', 'validation_failed']
    if (!(error instanceof BillingError) || !codes.includes(error.code)) throw error
    const view = viewOf(pages, request, reply)
    reply.code(error.code === 'payload_too_large' ? 413 : 422)
    const shown = <ImportForm {...{ pages, view }} notRead={{ error, typed }} />
    const title = view.say('statements')
    return sendPage(pages, reply, consolePage({ pages, view, title, section: 'statements' }, shown))
  }
}

const checkTyped = checker<object>(ImportQuerySchema)

/** `notRead`: a file that was refused, with the form as it was typed. */
function ImportForm(of: {
  pages: Pages
  view: View
  notRead: { readonly error: BillingError; readonly typed: Typed } | null
}) {
  const { pages, view, notRead } = of
  const { say, session } = view
  const typed: Typed = { ...Object(notRead?.error.extra.form), ...notRead?.typed }
  const kinds = [...new Set(pages.transfers?.accounts.map(({ kind }) => kind))]
  const account: Field = {
    ...{ name: 'account', label: say('statementAccount'), value: typed.account ?? '' },
    type: 'text',
    choices: kinds.map((kind) => [kind, instrumentName(INSTRUMENTS[kind], view.locale)]),
  }
  const sent = notRead && { typed: {}, problems: problemsOf(notRead.error) }
  return (
    <Card id="import" title={say('statementImport')}>
      {notRead ? <WhyNotRead {...{ pages, view }} error={notRead.error} /> : null}
      <p safe>{say('statementImportText')}</p>
      <form method="post" action={addressOf(pages.base, 'bank-statements')} enctype="multipart/form-data">
        <FormToken session={session} />
        <Input {...{ view, field: account, sent: null }} isRequired />
        <details open={notRead !== null}>
          <summary safe>{say('statementForm')}</summary>
          <Hint>{say('statementFormText')}</Hint>
          {formFields(view, typed).map((field) => (
            <Input {...{ view, field, sent }} isRequired={false} />
          ))}
        </details>
        <label for="field-file">
          <span safe>{say('statementFile')}</span>
          <input id="field-file" type="file" name="file" accept=".csv,.txt,.tsv,text/csv" required />
        </label>
        <p class="actions">
          <SubmitButton label={say('statementSend')} />
        </p>
      </form>
    </Card>
  )
}

/** The fields that are wrong, and those that the file does not tell. */
function problemsOf({ problems, extra }: BillingError) {
  const unclear = unclearIn(extra).map((name) => ({ pointer: `/${name}`, code: 'required' as const }))
  return [...problems, ...unclear]
}

const unclearIn = ({ unclear }: BillingError['extra']): readonly string[] =>
  Array.isArray(unclear) ? unclear : []

/** An empty field is read as in the last file with the same headings, else found out from the file. */
function formFields({ say }: View, typed: Typed): readonly Field[] {
  const words = (key: string) => (isConsoleKey(key) ? say(key) : null)
  const examples: Readonly<Record<string, string>> = DECIMALS
  return Object.entries<object>(bankForm).map(([name, member]) => {
    const { enum: values }: { enum?: string[] } = Object(member)
    const inWords = (value: string) => words(`${name}_${value}`) ?? examples[value] ?? value
    const choices = values?.map((value) => [value, inWords(value)] as const)
    return {
      ...{ name, label: words(`form_${name}`) ?? name, value: typed[name] ?? '' },
      type: 'text',
      ...(choices && { choices: [['', say('statementGuess')] as const, ...choices] }),
    }
  })
}

function WhyNotRead({ pages, view, error }: { pages: ConsolePages; view: View; error: BillingError }) {
  const { first_rows: rows } = error.extra
  return (
    <Notice tone="warn" title={view.say('statementNotRead')} text={whyNotRead(view, error)}>
      {Array.isArray(rows) ? (
        <>
          <h3 safe>{view.say('statementRows')}</h3>
          <Table
            {...{ pages, view, rows }}
            columns={fileColumns(Object.keys(rows[0]).map((at) => `${+at + 1}`))}
          />
        </>
      ) : null}
    </Notice>
  )
}

function whyNotRead({ say, locale }: View, { code, extra, problems }: BillingError): string {
  if (code === 'payload_too_large') return say('bank_file_too_large')
  const [problem] = problems
  if (problem) return `${problem.pointer.slice(1)}: ${problemInWords(problem, locale)}`
  const what = unclearIn(extra).map((name) => say(`form_${name}` as never))
  const key = `bank_file_${extra.reason}`
  const data = { line: `${extra.line}`, most: `${extra.most}`, word: `${extra.word}`, what: what.join(', ') }
  return isConsoleKey(key) ? say(key, data) : String(extra.reason)
}

const STATEMENTS: readonly Column<StoredStatement>[] = [
  {
    head: 'statementDays',
    link: (of, view, { base }) => ({
      href: addressOf(base, 'bank-statements', of.statement_id),
      text: daysOf(view, of),
    }),
  },
  {
    head: 'statementAccount',
    text: ({ account }, { locale }) => instrumentName(INSTRUMENTS[account], locale),
  },
  { head: 'statementLines', text: ({ lines }, { number }) => number(lines) },
  { head: 'statementBy', text: ({ imported_by }) => imported_by },
  { head: 'when', nowrap: ({ imported_at }, { moment }) => moment(imported_at) },
]
