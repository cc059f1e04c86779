// The page of a bank statement: how it was read, its sure lines with one way to approve them all, those to
// choose, and those that nothing is known of.
import { ActButton, pathOfAct } from '../acts/act-links.js'
import { INSTRUMENTS } from '../core/account.js'
import { isErrorCode } from '../core/error.js'
import { plainName } from '../core/name.js'
import { formatReference } from '../core/reference.js'
import { requireRole } from '../core/role.js'
import type { App } from '../http/app.js'
import { inParts } from '../i18n/formats.js'
import { CATALOGS, instrumentName } from '../i18n/messages.js'
import { type Labels, PaymentLink, readLabels } from '../ledger/labels.js'
import { addressOf, type ConsolePages, consolePage, type View } from '../pages/console-frame.js'
import { type Column, Facts, Hint, Notices, Table, Text } from '../pages/console-parts.js'
import { consoleRoute } from '../pages/console-view.js'
import { Card, LinkButton, SubmitButton } from '../pages/parts.js'
import { queryOf } from '../pages/reader.js'
import { APPROVED_AT_ONCE, approveLines } from './approve-lines.js'
import type { Candidate } from './bank-match.js'
import { READ_STATEMENTS } from './bank-readings.js'
import type { LineResult } from './bank-schemas.js'
import { findResults, type StoredStatement } from './bank-statements.sql.js'
import { withdrawStatement } from './line-acts.js'
import { DECIMALS, daysOf, fileColumns, LINE_COLUMNS, LINES } from './line-columns.js'
import {
  type BankDeps,
  type MatchedLine,
  type ReadStatement,
  readStatement,
  sumOf,
  toApprove,
} from './read-statement.js'

interface Part {
  readonly pages: ConsolePages & BankDeps
  readonly view: View
  readonly read: ReadStatement
}

/** The page lists at most 100 lines of a kind; the API lists all of them. */
const SHOWN = 100
const CHOSEN_AT_ONCE = 25

export function statementRoute(app: App, pages: ConsolePages & BankDeps): void {
  consoleRoute(app, pages, '/console/bank-statements/:statement_id', async ({ view, request, params }) => {
    const { say, locale } = view
    requireRole(view.session.operator, READ_STATEMENTS)
    const read = await readStatement(pages, params.statement_id)
    const done = queryOf(request, 'done')
    const results = done === undefined ? [] : ((await findResults(pages.database, done)) ?? [])
    const isChanged = queryOf(request, 'changed') !== undefined
    const labels = await readLabels(pages, { payments: results.map(({ payment_id }) => payment_id) })
    const account = instrumentName(INSTRUMENTS[read.statement.account], locale)
    const title = `${account} · ${daysOf(view, read.statement)}`
    const part = { pages, view, read }
    const returned = read.of('returned').slice(0, SHOWN)
    const unknown = read.of('unknown').slice(0, SHOWN)
    return consolePage(
      { pages, view, title, section: 'statements' },
      <>
        <Notices of={[isChanged ? say('statementChanged') : null]} warn />
        {results.length === 0 ? null : (
          <Card id="results" title={say('approvalResults')}>
            <Table {...{ pages, view }} rows={results} columns={resultColumns(read, labels)} />
          </Card>
        )}
        <HowRead {...part} />
        <Sure {...part} />
        {returned.length === 0 ? null : (
          <Card id="returned" title={say('linesReturned')}>
            <p safe>{say('linesReturnedText')}</p>
            <Table {...{ pages, view }} rows={returned} columns={LINES} />
          </Card>
        )}
        <ToChoose {...part} />
        <Card id="unknown" title={say('linesUnknown')}>
          <Table {...{ pages, view }} rows={unknown} columns={LINES} empty={say('noneUnknown')} />
        </Card>
        <Summary {...part} />
      </>,
    )
  })
}

function resultColumns(read: ReadStatement, labels: Labels): readonly Column<LineResult>[] {
  const lines = new Map(read.lines.map((line) => [line.id, line]))
  return [
    { head: 'day', nowrap: ({ line }, { day }) => day(lines.get(line)?.day ?? null) },
    { head: 'amount', nowrap: ({ line }, { centimes }) => centimes(lines.get(line)?.centimes ?? null) },
    {
      head: 'payment',
      safe: ({ payment_id: id }, view, pages) => (
        <PaymentLink {...{ pages, view, id }} payment={labels.payment(id)} />
      ),
    },
    {
      head: 'status',
      safe: ({ outcome, code }, { say, locale }) => (
        <span class={outcome === 'refused' ? 'over' : undefined} safe>
          {say(`became_${outcome}`, {
            why: code !== null && isErrorCode(code) ? CATALOGS[locale].error[code].title : (code ?? ''),
          })}
        </span>
      ),
    },
  ]
}

function HowRead({ pages, view, read: { statement } }: Part) {
  const { say } = view
  const { form } = statement
  const telling = form.telling.map((at) => headingAt(form, at)).join(' · ')
  const lines = form.left_out_rows.join(', ')
  return (
    <Card id="how-read" title={say('statementRead')}>
      <Hint>{say('statementReadText')}</Hint>
      {telling === '' ? null : (
        <p class="notice warn" safe>
          {say('statementTelling', { columns: telling, text: [form.text, ...form.telling].join(',') })}
        </p>
      )}
      <Table {...{ pages, view }} rows={form.rows} columns={fileColumns(columnsRead(view, form))} />
      <Facts
        facts={[
          [say('statementForm'), formInWords(view, form)],
          [say('statementLeftOut'), form.left_out === 0 ? null : `${view.number(form.left_out)} (${lines})`],
        ]}
      />
    </Card>
  )
}

type Form = StoredStatement['form']

function formInWords({ say }: View, { encoding, delimiter, direction, debit, day_order, decimal }: Form) {
  const inOneColumn = direction === 'sign' ? 'direction_sign' : 'readAs_direction'
  const isIn = debit === undefined ? 'direction_in' : 'direction_columns'
  return [
    say(direction === 'in' ? isIn : inOneColumn),
    ...[say(`encoding_${encoding}`), say(`delimiter_${delimiter}`), say(`day_order_${day_order}`)],
    ...(decimal === undefined ? [] : [DECIMALS[decimal]]),
  ].join(' · ')
}

const ROLES = ['direction', 'debit', 'amount', 'date', 'text'] as const

function columnsRead({ say }: View, form: Form): readonly string[] {
  const width = Math.max(form.headings.length, form.rows[0]?.length ?? 0)
  return Array.from({ length: width }, (_, index) => {
    const column = index + 1
    const role = ROLES.find((name) => form[name]?.split(',').includes(String(column))) ?? 'none'
    const as = say(`readAs_${form.telling.includes(column) ? 'telling' : role}`)
    return say('columnReadAs', { column: headingAt(form, column), as })
  })
}

function headingAt({ headings }: Form, column: number): string {
  return headings[column - 1] || String(column)
}

function Sure({ pages, view, read }: Part) {
  const { say, session } = view
  const now = toApprove(read, session.operator).slice(0, APPROVED_AT_ONCE)
  const data = { count: view.number(now.length), amount: view.money(sumOf(now)) }
  return (
    <Card id="sure" title={say('linesSure')}>
      {now.length === 0 ? null : (
        <p class="actions">
          <LinkButton
            href={pathOfAct(pages, approveLines, read.statement.statement_id)}
            label={say(now.length === 1 ? 'approveSureOne' : 'approveSure', data)}
            go
          />
        </p>
      )}
      <Hint>{say('linesSureText')}</Hint>
      <Table
        {...{ pages, view }}
        rows={read.of('sure').slice(0, SHOWN)}
        columns={SURE}
        empty={say('noneSure')}
      />
    </Card>
  )
}

const SURE: readonly Column<MatchedLine>[] = [
  ...LINE_COLUMNS,
  {
    head: 'payment',
    link: ({ match }, view, { base }) => {
      const [one] = match?.candidates ?? []
      return one
        ? { href: addressOf(base, 'payments', one.payment_id), text: candidateInWords(view, one) }
        : null
    },
  },
]

/** The name may be Arabic, so it is kept apart from what stands beside it. */
function candidateInWords({ say, money, locale }: View, candidate: Candidate): string {
  const { name, user_id, reference, amount, why, differs, approved_by } = candidate
  const parts = [
    `\u2068${plainName(name ?? user_id)}\u2069`,
    formatReference(reference),
    money(amount),
    say(`rule_${why}`),
    ...differs.map((what) => say(`differs_${what}`)),
    ...approved_by.map((by) => say('firstGiven', { name: by })),
  ]
  return inParts(parts, locale)
}

function ToChoose({ pages, view, read }: Part) {
  const { say } = view
  const rows = read.of('to_choose').slice(0, CHOSEN_AT_ONCE)
  if (rows.length === 0) return null
  return (
    <Card id="to-choose" title={say('linesToChoose')}>
      <p safe>{say('chooseText')}</p>
      <form method="get" action={pathOfAct(pages, approveLines, read.statement.statement_id)}>
        <input type="hidden" name="chosen" value="1" />
        <Table {...{ pages, view, rows }} columns={TO_CHOOSE} />
        <p class="actions">
          <SubmitButton label={say('chooseGo')} />
        </p>
      </form>
    </Card>
  )
}

const TO_CHOOSE: readonly Column<MatchedLine>[] = [
  ...LINE_COLUMNS,
  { head: 'payment', safe: (line, view) => <Choices {...{ view, line }} /> },
]

function Choices({ view, line }: { view: View; line: MatchedLine }) {
  const candidates = (line.match?.candidates ?? []).filter(({ differs }) => !differs.includes('booked'))
  const options = [
    ['', view.say('chooseNone')] as const,
    ...candidates.map((one) => [one.payment_id, candidateInWords(view, one)] as const),
  ]
  return (
    <fieldset aria-label={line.text}>
      {options.map(([value, words]) => (
        <label class="line">
          <input
            type="radio"
            name={`line_${line.id}`}
            value={value}
            checked={value === (line.payment_id ?? '')}
          />{' '}
          <Text>{words}</Text>
        </label>
      ))}
    </fieldset>
  )
}

function Summary({ pages, view, read: { statement, lines, of, paying } }: Part) {
  const { say } = view
  const decided = (['approved', 'payout', 'set_aside'] as const).map(
    (kind) => [say(`line_${kind}`), view.number(of(kind).length)] as const,
  )
  return (
    <Card id="summary" title={say('linesDecided')}>
      <Facts
        facts={[
          ...decided,
          [say('statementLines'), view.number(statement.lines)],
          [say('statementBy'), statement.imported_by],
        ]}
      />
      <p class="actions">
        <LinkButton href={addressOf(pages.base, 'bank-statements')} label={say('statements')} />
        {lines.length === 0 || paying < lines.length ? (
          <ActButton {...{ pages, view }} act={withdrawStatement} id={statement.statement_id} />
        ) : null}
      </p>
    </Card>
  )
}
