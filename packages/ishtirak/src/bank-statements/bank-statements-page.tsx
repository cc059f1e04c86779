// The page of all bank statements: the form that reads one in, money in without a payment, and payments
// without money.
import { pathOfAct, titleOf } from '../acts/act-console.js'
import { type Field, Input } from '../acts/act-page.js'
import { INSTRUMENTS } from '../core/account.js'
import type { BillingError, ValidationProblem } from '../core/error.js'
import { formatReference } from '../core/reference.js'
import { isConsoleKey } from '../i18n/console.js'
import { instrumentName, problemInWords } from '../i18n/messages.js'
import {
  addressOf,
  type ConsolePages,
  consolePage,
  Notices,
  Pager,
  type View,
} from '../pages/console-frame.js'
import { Card, FormToken, LinkButton, Notice, SubmitButton } from '../pages/portal-frame.js'
import { type Column, Table } from '../pages/table.js'
import { bankForm } from '../transfers/bank-form-schema.js'
import type { awaited, pageOfLines } from './bank-readings.js'
import { AWAITED_DAYS } from './bank-readings.js'
import type { StoredStatement } from './bank-statements.sql.js'
import { LINE_ACTS } from './line-acts.js'
import type { BankDeps, MatchedLine } from './read-statement.js'

/** A file that was refused, with the form as it was sent. */
export interface NotRead {
  readonly error: BillingError
  readonly typed: Readonly<Record<string, string>>
}

interface Shown {
  readonly statements: readonly StoredStatement[]
  readonly lines: Awaited<ReturnType<typeof pageOfLines>>
  readonly returned: readonly MatchedLine[]
  readonly transfers: Awaited<ReturnType<typeof awaited>>
  readonly notRead: NotRead | null
  readonly isFirst: boolean
  readonly isDone: boolean
}

interface Part {
  readonly pages: ConsolePages & BankDeps
  readonly view: View
  readonly shown: Shown
}

export function statementsPage(pages: ConsolePages & BankDeps, view: View, shown: Shown): string {
  const { say } = view
  const part = { pages, view, shown }
  return consolePage(
    { pages, view, title: say('statements'), section: 'statements' },
    <>
      <Notices of={[shown.isDone ? say('lineDone') : null]} />
      <ImportForm {...part} />
      <WithoutPayment {...part} />
      <Returned {...{ pages, view }} lines={shown.returned} />
      <WithoutMoney {...part} />
      <Statements {...part} />
    </>,
  )
}

function ImportForm({ pages, view, shown }: Part) {
  const { say, session } = view
  const { notRead } = shown
  const typed = { ...formFound(notRead), ...notRead?.typed }
  const isWrong = notRead !== null && notRead.error.extra.reason !== 'empty'
  const sent = notRead && { typed: {}, problems: problemsOf(notRead.error) }
  return (
    <Card id="import" title={say('statementImport')}>
      {notRead ? <WhyNotRead {...{ pages, view, notRead }} /> : null}
      <p safe>{say('statementImportText')}</p>
      <form method="post" action={addressOf(pages.base, 'bank-statements')} enctype="multipart/form-data">
        <FormToken session={session} />
        <Input {...{ view, field: accountField(pages, view, typed), sent: null }} isRequired />
        <details open={isWrong}>
          <summary safe>{say('statementForm')}</summary>
          <p class="soft" safe>
            {say('statementFormText')}
          </p>
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

/** Of the fields: those that are wrong, and those that the file does not tell. */
function problemsOf({ problems, extra }: BillingError): readonly ValidationProblem[] {
  const unclear = Array.isArray(extra.unclear) ? extra.unclear : []
  return [
    ...problems.map((one) => ({ ...one, pointer: one.pointer.replace('/query', '') })),
    ...unclear.map((name) => ({ pointer: `/${name}`, code: 'required' as const })),
  ]
}

/** What was found out from a file, where not all of it is clear. */
function formFound(notRead: NotRead | null): Readonly<Record<string, string>> {
  const form: object = Object(notRead?.error.extra.form)
  return Object.fromEntries(Object.entries(form).map(([name, value]) => [name, String(value)]))
}

function accountField(
  { transfers }: BankDeps,
  view: View,
  { account = '' }: Readonly<Record<string, string>>,
): Field {
  const kinds = [...new Set(transfers?.accounts.map(({ kind }) => kind))]
  const choices = kinds.map((kind) => [kind, instrumentName(INSTRUMENTS[kind], view.locale)] as const)
  return { name: 'account', label: view.say('statementAccount'), type: 'text', value: account, choices }
}

/** An amount with either sign before the centimes. */
export const DECIMALS: Readonly<Record<string, string>> = { ',': '1.980,00', '.': '1,980.00' }

/** What may be said of a file; what is left empty is found out from it. */
function formFields({ say }: View, typed: Readonly<Record<string, string>>): readonly Field[] {
  const words = (key: string) => (isConsoleKey(key) ? say(key) : null)
  const choiceOf = (name: string, value: string) => words(`${name}_${value}`) ?? DECIMALS[value] ?? value
  return Object.entries<object>(bankForm).map(([name, member]) => {
    const { type, enum: values }: { type?: string; enum?: string[] } = Object(member)
    const choices = values?.map((value) => [value, choiceOf(name, value)] as const)
    return {
      ...{ name, label: words(`form_${name}`) ?? name, value: typed[name] ?? '' },
      type: type === 'integer' ? ('number' as const) : ('text' as const),
      ...(choices && { choices: [['', say('statementGuess')] as const, ...choices] }),
    }
  })
}

function WhyNotRead({ pages, view, notRead: { error } }: Omit<Part, 'shown'> & { notRead: NotRead }) {
  const { say } = view
  const rows = error.extra.first_rows
  return (
    <Notice tone="warn" title={say('statementNotRead')} text={whyNotRead(view, error)}>
      {Array.isArray(rows) ? <FirstRows {...{ pages, view, rows }} /> : null}
    </Notice>
  )
}

function whyNotRead({ say, locale }: View, { code, extra, problems }: BillingError): string {
  if (code === 'payload_too_large') return say('bank_file_too_large')
  const [problem] = problems
  if (problem) return `${problem.pointer.replace('/query/', '')}: ${problemInWords(problem, locale)}`
  const unclear = Array.isArray(extra.unclear) ? extra.unclear : []
  const what = unclear.map((name) => (isConsoleKey(`form_${name}`) ? say(`form_${name}` as never) : name))
  const words = Array.isArray(extra.words) ? extra.words.join(', ') : ''
  const key = words === '' ? `bank_file_${extra.reason}` : 'bank_file_direction_words'
  return isConsoleKey(key)
    ? say(key, {
        line: String(extra.line ?? ''),
        most: String(extra.most ?? ''),
        what: what.join(', '),
        words,
      })
    : String(extra.reason)
}

function FirstRows(of: Omit<Part, 'shown'> & { rows: readonly (readonly string[])[] }) {
  const width = Math.max(0, ...of.rows.map((row) => row.length))
  return (
    <>
      <h3 safe>{of.view.say('statementRows')}</h3>
      <Table {...of} columns={fileColumns(Array.from({ length: width }, (_, at) => String(at + 1)))} />
    </>
  )
}

/** Of a file: each row is its cells. */
export const fileColumns = (heads: readonly string[]): readonly Column<readonly string[]>[] =>
  heads.map((words, at) => ({ head: { words }, text: (row) => row[at] ?? '' }))

function WithoutPayment({ pages, view, shown }: Part) {
  const { say } = view
  const { items, nextCursor } = shown.lines
  const path = addressOf(pages.base, 'bank-statements')
  return (
    <Card id="without-payment" title={say('moneyWithoutPayment')}>
      <LinesTable {...{ pages, view }} lines={items} empty={say('noMoneyWithoutPayment')} />
      <Pager
        view={view}
        first={shown.isFirst ? null : `${path}#without-payment`}
        next={nextCursor === null ? null : `${path}?cursor=${nextCursor}#without-payment`}
      />
    </Card>
  )
}

export function Returned(of: Omit<Part, 'shown'> & { lines: readonly MatchedLine[] }) {
  const { say } = of.view
  if (of.lines.length === 0) return null
  return (
    <Card id="returned" title={say('linesReturned')}>
      <p safe>{say('linesReturnedText')}</p>
      <LinesTable {...of} empty="" />
    </Card>
  )
}

export function LinesTable(of: {
  pages: ConsolePages & BankDeps
  view: View
  lines: readonly MatchedLine[]
  empty: string
}) {
  const { pages, view, lines, empty } = of
  const { say } = view
  const actsOf = ({ state }: MatchedLine) =>
    LINE_ACTS.filter(
      ({ name }) => name === 'bank_line.set_aside' || (name === 'bank_line.mark_payout' && state === 'open'),
    )
  const columns: readonly Column<MatchedLine>[] = [
    ...LINE_COLUMNS,
    {
      head: 'what',
      safe: (line) => (
        <>
          {line.state === 'returned' ? <Named {...{ pages }} references={line.references} /> : null}
          {line.match === null || line.match.kind === 'unknown' ? null : (
            <a class="line" href={addressOf(pages.base, 'bank-statements', line.statementId)} safe>
              {line.match.kind === 'sure' ? say('linesSure') : say('linesToChoose')}
            </a>
          )}
          {actsOf(line).map((act) => (
            <a class="line" href={pathOfAct(pages, act, line.id)} safe>
              {titleOf(act, view)}
            </a>
          ))}
        </>
      ),
    },
  ]
  return <Table {...{ pages, view, columns, empty }} rows={lines} />
}

export const LINE_COLUMNS: readonly Column<MatchedLine>[] = [
  { head: 'day', nowrap: (line, { day }) => day(line.day) },
  { head: 'amount', nowrap: (line, { centimes }) => centimes(line.centimes) },
  { head: 'lineText', text: ({ text }) => text },
]

/** Search pages of references: the payment, its user and its acts. */
function Named({ pages, references }: { pages: ConsolePages; references: readonly string[] }) {
  return (
    <>
      {references.map((reference) => (
        <a class="line" href={`${addressOf(pages.base, 'search')}?q=${reference}`}>
          <bdi safe>{formatReference(reference)}</bdi>
        </a>
      ))}
    </>
  )
}

function WithoutMoney({ pages, view, shown }: Part) {
  const { say } = view
  return (
    <Card id="without-money" title={say('paymentsWithoutMoney')}>
      <p class="soft" safe>
        {say('paymentsWithoutMoneyText', { days: view.number(AWAITED_DAYS) })}
      </p>
      <Table
        {...{ pages, view }}
        rows={shown.transfers}
        columns={[
          { head: 'when', nowrap: ({ created_at }) => view.moment(created_at) },
          { head: 'user', user: ({ user_id: userId, name }) => ({ userId, name }) },
          { head: 'amount', nowrap: ({ amount }) => view.money(amount) },
          {
            head: 'reference',
            link: ({ payment_id, reference }) => ({
              href: addressOf(pages.base, 'payments', payment_id),
              text: formatReference(reference),
            }),
          },
        ]}
        empty={say('noPaymentsWithoutMoney')}
      />
    </Card>
  )
}

function Statements({ pages, view, shown }: Part) {
  const { say, locale } = view
  return (
    <Card id="statements" title={say('statementsRead')}>
      <Table
        {...{ pages, view }}
        rows={shown.statements}
        columns={[
          {
            head: 'statementDays',
            link: (of) => ({ href: addressOf(pages.base, 'bank-statements', of.id), text: daysOf(view, of) }),
          },
          { head: 'statementAccount', text: ({ account }) => instrumentName(INSTRUMENTS[account], locale) },
          { head: 'statementLines', text: ({ lines }) => view.number(lines) },
          { head: 'statementBy', text: ({ importedBy }) => importedBy },
          { head: 'when', nowrap: ({ importedAt }) => view.moment(importedAt) },
        ]}
        empty={say('noStatements')}
      />
      <p class="actions">
        <LinkButton href={addressOf(pages.base, '')} label={say('backToInbox')} />
      </p>
    </Card>
  )
}

export function daysOf({ day }: View, { firstDay, lastDay }: Pick<StoredStatement, 'firstDay' | 'lastDay'>) {
  return `${day(firstDay)} – ${day(lastDay)}`
}
