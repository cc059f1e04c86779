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
import { Table } from '../pages/table.js'
import { UserCell } from '../pages/user-cell.js'
import { APPROVED_AT_ONCE, approveLines } from './approve-lines.js'
import { headingOf } from './bank-headings.js'
import type { Candidate } from './bank-match.js'
import type { LineResult } from './bank-schemas.js'
import type { StoredStatement } from './bank-statements.sql.js'
import { DECIMALS, daysOf, fileColumns, LINE_COLUMNS, LinesTable, Returned } from './bank-statements-page.js'
import { withdrawStatement } from './line-acts.js'
import { type BankDeps, type MatchedLine, type ReadStatement, toApprove } from './read-statement.js'

interface Part {
  readonly pages: ConsolePages & BankDeps
  readonly view: View
  readonly read: ReadStatement
}

/** So many lines of a kind are listed; the API has them all. */
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
  const { statement } = read
  const account = instrumentName(INSTRUMENTS[statement.account], view.locale)
  const title = `${account} · ${daysOf(view, statement)}`
  const part = { pages, view, read }
  return consolePage(
    { pages, view, title, section: 'statements' },
    <>
      <Notices of={[isChanged ? view.say('statementChanged') : null]} warn />
      {results.length === 0 ? null : <Results {...{ ...part, results, labels }} />}
      <HowRead {...part} />
      <Sure {...part} />
      <Returned {...{ pages, view }} lines={read.returned.slice(0, SHOWN)} />
      <ToChoose {...part} />
      <Unknown {...part} />
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

/** So many of the rows that were left out are listed on the page. */
const LEFT_OUT_SHOWN = 20

/** What was made of the file, before anything of it is approved. */
function HowRead({ pages, view, read: { statement } }: Part) {
  const { say } = view
  const { form } = statement
  const leftOut = form.left_out_rows.slice(0, LEFT_OUT_SHOWN)
  return (
    <Card id="how-read" title={say('statementRead')}>
      <p class="soft" safe>
        {say('statementReadText')}
      </p>
      {form.telling.length === 0 ? null : <Telling {...{ view, form }} />}
      <Table {...{ pages, view }} rows={form.rows} columns={fileColumns(columnsRead(view, statement))} />
      <Facts
        facts={[
          [say('readAs_direction'), directionRead(view, statement)],
          [say('statementForm'), formInWords(view, form)],
          [say('statementLeftOut'), form.left_out === 0 ? null : view.number(form.left_out)],
        ]}
      />
      {leftOut.length === 0 ? null : (
        <ul>
          {leftOut.map(({ line, why }) => (
            <li safe>{say('leftOutRow', { line: String(line), why: say(`left_out_${why}`) })}</li>
          ))}
        </ul>
      )}
    </Card>
  )
}

/** The columns that are not understood, and what to send if they are only text; a state is no text. */
function Telling({ view: { say }, form }: { view: View; form: StoredStatement['form'] }) {
  const isState = (at: number) => headingOf(form.headings[at - 1] ?? '') === 'status'
  const free = form.telling.filter((at) => !isState(at))
  const text = [...new Set([...form.text.split(',').map(Number), ...free])]
  return (
    <div class="notice warn">
      <p safe>
        {say('statementTelling', { columns: form.telling.map((at) => headingAt(form, at)).join(' · ') })}
      </p>
      {free.length === 0 ? null : (
        <p safe>{say('statementTextSaid', { text: text.map((at) => headingAt(form, at)).join(',') })}</p>
      )}
    </div>
  )
}

function formInWords({ say }: View, { encoding, delimiter, day_order, decimal }: StoredStatement['form']) {
  const order = say(`day_order_${day_order}`)
  return [say(`encoding_${encoding}`), say(`delimiter_${delimiter}`), order, DECIMALS[decimal] ?? ''].join(
    ' · ',
  )
}

/** Of each column its heading, and what it was read as. */
function columnsRead({ say }: View, { form }: StoredStatement): readonly string[] {
  const width = Math.max(form.headings.length, ...form.rows.map((row) => row.length))
  const text = form.text.split(',')
  const readAs = (column: number) => {
    const at = String(column)
    if (at === form.date) return say('readAs_date')
    if (at === form.amount) return say('readAs_amount')
    if (form.debits.includes(column)) return say('readAs_debit')
    if (at === form.direction) return say('readAs_direction')
    if (form.currency.includes(column)) return say('readAs_currency')
    const isText = text.includes(at)
    if (form.telling.includes(column))
      return [say('readAs_telling'), isText ? say('readAs_text') : ''].filter(Boolean).join(', ')
    return isText ? say('readAs_text') : say('readAs_none')
  }
  return Array.from({ length: width }, (_, index) =>
    say('columnReadAs', { column: headingAt(form, index + 1), as: readAs(index + 1) }),
  )
}

function headingAt({ headings }: StoredStatement['form'], column: number): string {
  return headings[column - 1] || String(column)
}

function directionRead({ say }: View, { form }: StoredStatement): string {
  if (form.direction === 'in') return say(form.debits.length > 0 ? 'direction_columns' : 'direction_in')
  if (form.direction === 'sign') return say('direction_sign')
  return headingAt(form, Number(form.direction))
}

function codeWords({ locale }: View, code: string | null): string {
  return code !== null && isErrorCode(code) ? CATALOGS[locale].error[code].title : (code ?? '')
}

function Sure({ pages, view, read }: Part) {
  const { say, session } = view
  const { sure } = read
  const now = toApprove(read, session.operator).slice(0, APPROVED_AT_ONCE)
  const amount = now.reduce((sum, { candidate }) => sum + candidate.transfer.amountAsked, 0)
  const data = { count: view.number(now.length), amount: view.money(amount) }
  return (
    <Card id="sure" title={say('linesSure')}>
      {now.length === 0 ? null : (
        <p class="actions">
          <LinkButton
            href={pathOfAct(pages, approveLines, read.statement.id)}
            label={say(now.length === 1 ? 'approveSureOne' : 'approveSure', data)}
            go
          />
        </p>
      )}
      {sure.length === 0 ? null : (
        <p class="soft" safe>
          {say('linesSureText')}
        </p>
      )}
      <Table
        {...{ pages, view }}
        rows={sure.slice(0, SHOWN)}
        columns={[
          ...LINE_COLUMNS,
          {
            head: 'payment',
            safe: ({ match }) => <Meant {...{ pages, view }} of={match?.candidates ?? []} />,
          },
        ]}
        empty={say('noneSure')}
      />
    </Card>
  )
}

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
      <form method="get" action={pathOfAct(pages, approveLines, read.statement.id)}>
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
  const { say } = view
  const candidates = (line.match?.candidates ?? []).filter(({ differs }) => !differs.includes('booked'))
  const isSum = candidates.every(({ rule }) => rule === 'sum_of_references')
  const together = candidates.map(({ transfer }) => transfer.paymentId).join(' ')
  const chosen = line.paymentIds.join(' ')
  const name = `line_${line.id}`
  const options: readonly (readonly [value: string, words: readonly string[]])[] = [
    ['', [say('chooseNone')]],
    ...(isSum && candidates.length > 1 ? [[together, [say('chooseBoth')]] as const] : []),
    ...candidates.map((one) => [one.transfer.paymentId, candidateInWords(view, one)] as const),
  ]
  return (
    <fieldset aria-label={line.text}>
      {options.map(([value, words]) => (
        <label class="line">
          <input type="radio" name={name} value={value} checked={value === chosen} />
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

function Unknown({ pages, view, read }: Part) {
  const lines = read.unknown.slice(0, SHOWN)
  return (
    <Card id="unknown" title={view.say('linesUnknown')}>
      <LinesTable {...{ pages, view, lines }} empty={view.say('noneUnknown')} />
    </Card>
  )
}

function Summary({ pages, view, read: { statement, counts, free } }: Part) {
  const { say, session, number: count } = view
  return (
    <Card id="summary" title={say('linesDecided')}>
      <Facts
        facts={[
          [say('line_approved'), count(counts.approved)],
          [say('line_payout'), count(counts.payout)],
          [say('line_set_aside'), count(counts.set_aside)],
          [say('statementLines'), count(statement.lines)],
          [say('statementNew'), count(counts.new)],
          [say('statementBy'), statement.importedBy],
        ]}
      />
      <p class="actions">
        <LinkButton href={addressOf(pages.base, 'bank-statements')} label={say('statements')} />
        {mayDo(session.operator, withdrawStatement) && free > 0 ? (
          <ActButton {...{ pages, view }} act={withdrawStatement} id={statement.id} />
        ) : null}
      </p>
    </Card>
  )
}
