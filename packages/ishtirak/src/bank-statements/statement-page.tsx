// The page of a bank statement: its sure lines with one way to approve them all, those to choose, and those
// that nothing is known of.
import { ActButton, pathOfAct } from '../acts/act-console.js'
import { INSTRUMENTS } from '../core/account.js'
import { isErrorCode } from '../core/error.js'
import { formatReference } from '../core/reference.js'
import { mayDo } from '../core/role.js'
import { CATALOGS, instrumentName } from '../i18n/messages.js'
import { type Labels, PaymentLink } from '../ledger/labels.js'
import {
  addressOf,
  type ConsolePages,
  consolePage,
  Facts,
  Notices,
  type View,
} from '../pages/console-frame.js'
import { Card, LinkButton, SubmitButton } from '../pages/portal-frame.js'
import { type Column, Table } from '../pages/table.js'
import { UserCell } from '../pages/user-cell.js'
import { APPROVED_AT_ONCE, approveLines } from './approve-lines.js'
import type { Candidate } from './bank-match.js'
import type { LineResult } from './bank-schemas.js'
import type { StoredStatement } from './bank-statements.sql.js'
import { withdrawStatement } from './line-acts.js'
import { DECIMALS, daysOf, fileColumns, LINE_COLUMNS, LINES } from './line-columns.js'
import { type BankDeps, type MatchedLine, type ReadStatement, toApprove } from './read-statement.js'

interface Part {
  readonly pages: ConsolePages & BankDeps
  readonly view: View
  readonly read: ReadStatement
}

/** The page lists at most 100 lines of a kind; the API lists all of them. */
const SHOWN = 100
const CHOSEN_AT_ONCE = 25

export function statementPage(
  pages: ConsolePages & BankDeps,
  view: View,
  of: {
    readonly read: ReadStatement
    readonly results: readonly LineResult[]
    /** The names of the payments in `results`. */
    readonly labels: Labels
    readonly isChanged: boolean
  },
): string {
  const { read, results, labels, isChanged } = of
  const { say } = view
  const { statement } = read
  const account = instrumentName(INSTRUMENTS[statement.account], view.locale)
  const title = `${account} · ${daysOf(view, statement)}`
  const part = { pages, view, read }
  return consolePage(
    { pages, view, title, section: 'statements' },
    <>
      <Notices of={[isChanged ? say('statementChanged') : null]} warn />
      {results.length === 0 ? null : <Results {...{ ...part, results, labels }} />}
      <HowRead {...part} />
      <Sure {...part} />
      {read.returned.length === 0 ? null : (
        <Card id="returned" title={say('linesReturned')}>
          <p safe>{say('linesReturnedText')}</p>
          <Table {...{ pages, view }} rows={read.returned.slice(0, SHOWN)} columns={LINES} />
        </Card>
      )}
      <ToChoose {...part} />
      <Card id="unknown" title={say('linesUnknown')}>
        <Table
          {...{ pages, view }}
          rows={read.unknown.slice(0, SHOWN)}
          columns={LINES}
          empty={say('noneUnknown')}
        />
      </Card>
      <Summary {...part} />
    </>,
  )
}

function Results(of: Part & { readonly results: readonly LineResult[]; readonly labels: Labels }) {
  const { pages, view, read, results, labels } = of
  const { say } = view
  const lines = new Map(read.lines.map((line) => [line.id, line]))
  return (
    <Card id="results" title={say('approvalResults')}>
      <Table
        {...{ pages, view }}
        rows={results}
        columns={[
          { head: 'day', nowrap: ({ line }) => view.day(lines.get(line)?.day ?? null) },
          { head: 'amount', nowrap: ({ line }) => view.centimes(lines.get(line)?.centimes ?? null) },
          {
            head: 'payment',
            safe: ({ payment_id: id }) => (
              <PaymentLink {...{ pages, view, id }} payment={labels.payment(id)} />
            ),
          },
          {
            head: 'status',
            safe: ({ outcome, code }) => (
              <span class={outcome === 'refused' ? 'over' : undefined} safe>
                {say(`became_${outcome}`, { why: codeWords(view, code) })}
              </span>
            ),
          },
        ]}
      />
    </Card>
  )
}

/** Shows how the file was read, before anything of it is approved. */
function HowRead({ pages, view, read: { statement } }: Part) {
  const { say } = view
  const { form } = statement
  const telling = form.telling.map((at) => headingAt(form, at)).join(' · ')
  const lines = form.left_out_rows.slice(0, LEFT_OUT_SHOWN).join(', ')
  return (
    <Card id="how-read" title={say('statementRead')}>
      <p class="soft" safe>
        {say('statementReadText')}
      </p>
      {telling === '' ? null : (
        <p class="notice warn" safe>
          {say('statementTelling', {
            columns: telling,
            text: [form.text, ...form.telling].join(','),
          })}
        </p>
      )}
      <Table {...{ pages, view }} rows={form.rows} columns={fileColumns(columnsRead(view, statement))} />
      <Facts
        facts={[
          [say('statementForm'), formInWords(view, form)],
          [say('statementLeftOut'), form.left_out === 0 ? null : `${view.number(form.left_out)} (${lines})`],
        ]}
      />
    </Card>
  )
}
const LEFT_OUT_SHOWN = 20

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

/** The heading of each column, and what it was read as. */
function columnsRead({ say }: View, { form }: StoredStatement): readonly string[] {
  const { date, amount, debit = '', direction, text, telling, headings, rows } = form
  const roles = new Map<string, Parameters<typeof say>[0]>([
    ...text.split(',').map((at) => [at, 'readAs_text'] as const),
    ...([
      [date, 'readAs_date'],
      [amount, 'readAs_amount'],
      [debit, 'readAs_debit'],
    ] as const),
    ...([[direction, 'readAs_direction']] as const),
    ...telling.map((at) => [String(at), 'readAs_telling'] as const),
  ])
  return Array.from({ length: Math.max(headings.length, rows[0]?.length ?? 0) }, (_, index) =>
    say('columnReadAs', {
      column: headingAt(form, index + 1),
      as: say(roles.get(String(index + 1)) ?? 'readAs_none'),
    }),
  )
}

function headingAt({ headings }: Form, column: number): string {
  return headings[column - 1] || String(column)
}

function codeWords({ locale }: View, code: string | null): string {
  return code !== null && isErrorCode(code) ? CATALOGS[locale].error[code].title : (code ?? '')
}

function Sure({ pages, view, read }: Part) {
  const { say, session } = view
  const rows = read.sure.slice(0, SHOWN)
  const now = toApprove(read, session.operator).slice(0, APPROVED_AT_ONCE)
  const amount = now.reduce((sum, { candidate }) => sum + candidate.transfer.amountAsked, 0)
  const data = { count: view.number(now.length), amount: view.money(amount) }
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
      <p class="soft" safe>
        {say('linesSureText')}
      </p>
      <Table {...{ pages, view, rows }} columns={SURE} empty={say('noneSure')} />
    </Card>
  )
}

const SURE: readonly Column<MatchedLine>[] = [
  ...LINE_COLUMNS,
  {
    head: 'payment',
    safe: ({ match }, view, pages) => <Meant {...{ pages, view }} of={match?.candidates ?? []} />,
  },
]

function Meant({ pages, view, of }: { pages: ConsolePages; view: View; of: readonly Candidate[] }) {
  const { say } = view
  return (
    <>
      {of.map(({ transfer }) => (
        <>
          <UserCell {...{ pages }} user={{ userId: transfer.userId, name: transfer.name }} />
          <a class="line" href={addressOf(pages.base, 'payments', transfer.paymentId)}>
            <bdi safe>{formatReference(transfer.reference)}</bdi>
          </a>
          {transfer.approvedBy.map((name) => (
            <span class="soft small line" safe>
              {say('firstGiven', { name })}
            </span>
          ))}
        </>
      ))}
    </>
  )
}

function ToChoose({ pages, view, read }: Part) {
  const { say } = view
  const lines = read.toChoose
  if (lines.length === 0) return null
  return (
    <Card id="to-choose" title={say('linesToChoose')}>
      <p safe>{say('chooseText')}</p>
      <form method="get" action={pathOfAct(pages, approveLines, read.statement.statement_id)}>
        <input type="hidden" name="chosen" value="1" />
        <Table
          {...{ pages, view }}
          rows={lines.slice(0, CHOSEN_AT_ONCE)}
          columns={[...LINE_COLUMNS, { head: 'payment', safe: (line) => <Choices {...{ view, line }} /> }]}
        />
        <p class="actions">
          <SubmitButton label={say('chooseGo')} />
        </p>
      </form>
    </Card>
  )
}

function Choices({ view, line }: { view: View; line: MatchedLine }) {
  const candidates = (line.match?.candidates ?? []).filter(({ differs }) => !differs.includes('booked'))
  const options: readonly (readonly [value: string, words: readonly string[]])[] = [
    ['', [view.say('chooseNone')]],
    ...candidates.map((one) => [one.transfer.paymentId, candidateInWords(view, one)] as const),
  ]
  return (
    <fieldset aria-label={line.text}>
      {options.map(([value, words]) => (
        <label class="line">
          <input
            type="radio"
            name={`line_${line.id}`}
            value={value}
            checked={value === (line.paymentId ?? '')}
          />
          {words.map((part, at) => (
            <>
              {at === 0 ? ' ' : ' · '}
              <bdi safe>{part}</bdi>
            </>
          ))}
        </label>
      ))}
    </fieldset>
  )
}

/** Each part keeps its own direction: a name may be Arabic beside a reference. */
function candidateInWords({ say, money }: View, { transfer, rule, differs }: Candidate): readonly string[] {
  const { name, userId, reference, amountAsked, approvedBy } = transfer
  return [
    name ?? userId,
    formatReference(reference),
    money(amountAsked),
    say(`rule_${rule}`),
    ...differs.map((what) => say(`differs_${what}`)),
    ...approvedBy.map((by) => say('firstGiven', { name: by })),
  ]
}

function Summary({ pages, view, read: { statement, lines, counts, paying } }: Part) {
  const { say, session, number: count } = view
  return (
    <Card id="summary" title={say('linesDecided')}>
      <Facts
        facts={[
          [say('line_approved'), count(counts.approved)],
          [say('line_payout'), count(counts.payout)],
          [say('line_set_aside'), count(counts.set_aside)],
          [say('statementLines'), count(statement.lines)],
          [say('statementBy'), statement.imported_by],
        ]}
      />
      <p class="actions">
        <LinkButton href={addressOf(pages.base, 'bank-statements')} label={say('statements')} />
        {mayDo(session.operator, withdrawStatement) && (lines.length === 0 || paying < lines.length) ? (
          <ActButton {...{ pages, view }} act={withdrawStatement} id={statement.statement_id} />
        ) : null}
      </p>
    </Card>
  )
}
