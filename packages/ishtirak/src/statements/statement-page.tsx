// The page of a bank statement: its sure lines with one way to approve them all, those to choose, and those
// that nothing is known of.
import { ActButton, pathOfAct } from '../acts/act-console.js'
import { INSTRUMENTS } from '../core/account.js'
import type { Candidate } from '../core/bank-match.js'
import { isErrorCode } from '../core/error.js'
import { formatReference } from '../core/reference.js'
import { mayDo } from '../core/role.js'
import { CATALOGS, instrumentName } from '../i18n/messages.js'
import {
  addressOf,
  type ConsolePages,
  Facts,
  NoWrap,
  renderConsole,
  Table,
  Text,
  type View,
} from '../pages/console-frame.js'
import { Card, LinkButton, SubmitButton } from '../pages/portal-frame.js'
import { UserCell } from '../pages/user-cell.js'
import { APPROVED_AT_ONCE, approveLines } from './approve-lines.js'
import type { LineResult } from './bank-schemas.js'
import { type BankDeps, type MatchedLine, type ReadStatement, toApprove } from './read-statement.js'
import { daysOf, LinesTable } from './statements-page.js'
import { withdrawStatement } from './withdraw-statement.js'

interface Part {
  readonly pages: ConsolePages & BankDeps
  readonly view: View
  readonly read: ReadStatement
}

/** Of each kind; the API has them all. */
const SHOWN = 100
const CHOSEN_AT_ONCE = 25

export function statementPage(
  pages: ConsolePages & BankDeps,
  view: View,
  of: { readonly read: ReadStatement; readonly results: readonly LineResult[]; readonly isChanged: boolean },
): string {
  const { read, results, isChanged } = of
  const { statement } = read
  const account = instrumentName(INSTRUMENTS[statement.account], view.locale)
  const title = `${account} · ${daysOf(pages, view, statement)}`
  const part = { pages, view, read }
  return renderConsole(pages, {
    ...view,
    title,
    section: 'statements',
    languagePath: addressOf(pages.base, 'statements', statement.id),
    safeContent: (
      <>
        <h1 safe>{title}</h1>
        {isChanged ? (
          <p class="notice warn" safe>
            {view.say('statementChanged')}
          </p>
        ) : null}
        {results.length === 0 ? null : <Results {...part} results={results} />}
        <Sure {...part} />
        <ToChoose {...part} />
        <Unknown {...part} />
        <Summary {...part} />
      </>
    ),
  })
}

function Results({ pages, view, read, results }: Part & { results: readonly LineResult[] }) {
  const { say, locale } = view
  const lines = new Map(read.lines.map((line) => [line.id, line]))
  return (
    <Card id="results" title={say('approvalResults')}>
      <Table
        columns={[say('day'), say('amount'), say('payment'), say('status')]}
        safeRows={results.map(({ line: id, payment_id, outcome, code }) => {
          const line = lines.get(id)
          return {
            safeCells: [
              line ? <NoWrap>{pages.formats.day(Date.parse(line.day), locale)}</NoWrap> : '',
              line ? <NoWrap>{pages.formats.centimes(line.centimes, locale)}</NoWrap> : '',
              <a href={addressOf(pages.base, 'payments', payment_id)}>
                <bdi safe>{payment_id}</bdi>
              </a>,
              <span class={outcome === 'refused' ? 'over' : undefined} safe>
                {say(`became_${outcome}`, { why: codeWords(view, code) })}
              </span>,
            ],
          }
        })}
      />
    </Card>
  )
}

function codeWords({ locale }: View, code: string | null): string {
  return code !== null && isErrorCode(code) ? CATALOGS[locale].error[code].title : (code ?? '')
}

function Sure({ pages, view, read }: Part) {
  const { say, locale, session } = view
  const sure = read.lines.filter(({ match }) => match?.kind === 'sure')
  const now = toApprove(read, session.operator).slice(0, APPROVED_AT_ONCE)
  const amount = now.reduce((sum, { candidate }) => sum + candidate.transfer.amountAsked, 0)
  const data = {
    count: pages.formats.number(now.length, locale),
    amount: pages.formats.money(amount, locale),
  }
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
        columns={[say('day'), say('amount'), say('lineText'), say('payment')]}
        empty={say('noneSure')}
        safeRows={sure.slice(0, SHOWN).map((line) => ({
          safeCells: [
            ...cellsOf(pages, view, line),
            <Meant {...{ pages, view }} of={line.match?.candidates ?? []} />,
          ],
        }))}
      />
    </Card>
  )
}

function cellsOf(pages: ConsolePages, { locale }: View, line: MatchedLine) {
  return [
    <NoWrap>{pages.formats.day(Date.parse(line.day), locale)}</NoWrap>,
    <NoWrap>{pages.formats.centimes(line.centimes, locale)}</NoWrap>,
    <Text>{line.text}</Text>,
  ]
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
  const lines = read.lines.filter(({ match }) => match?.kind === 'to_choose')
  if (lines.length === 0) return null
  return (
    <Card id="to-choose" title={say('linesToChoose')}>
      <p safe>{say('chooseText')}</p>
      <form method="get" action={pathOfAct(pages, approveLines, read.statement.id)}>
        <input type="hidden" name="chosen" value="1" />
        <Table
          columns={[say('day'), say('amount'), say('lineText'), say('payment')]}
          safeRows={lines.slice(0, CHOSEN_AT_ONCE).map((line) => ({
            safeCells: [...cellsOf(pages, view, line), <Choices {...{ pages, view, line }} />],
          }))}
        />
        <p class="actions">
          <SubmitButton label={say('chooseGo')} />
        </p>
      </form>
    </Card>
  )
}

function Choices({ pages, view, line }: { pages: ConsolePages; view: View; line: MatchedLine }) {
  const { say } = view
  const candidates = (line.match?.candidates ?? []).filter(({ differs }) => !differs.includes('booked'))
  const isSum = candidates.every(({ rule }) => rule === 'sum_of_references')
  const together = candidates.map(({ transfer }) => transfer.paymentId).join(' ')
  const chosen = line.paymentIds.join(' ')
  const name = `line_${line.id}`
  const options: readonly (readonly [string, string])[] = [
    ['', say('chooseNone')],
    ...(isSum && candidates.length > 1 ? [[together, say('chooseBoth')] as const] : []),
    ...candidates.map((one) => [one.transfer.paymentId, candidateInWords(pages, view, one)] as const),
  ]
  return (
    <fieldset aria-label={line.text}>
      {options.map(([value, words]) => (
        <label class="line">
          <input type="radio" name={name} value={value} checked={value === chosen} /> <Text>{words}</Text>
        </label>
      ))}
    </fieldset>
  )
}

function candidateInWords(
  pages: ConsolePages,
  { say, locale }: View,
  { transfer, rule, differs }: Candidate,
): string {
  const { name, userId, reference, amountAsked, approvedBy } = transfer
  return [
    name ?? userId,
    formatReference(reference),
    pages.formats.money(amountAsked, locale),
    say(`rule_${rule}`),
    ...differs.map((what) => say(`differs_${what}`)),
    ...approvedBy.map((by) => say('firstGiven', { name: by })),
  ].join(' · ')
}

function Unknown({ pages, view, read }: Part) {
  const lines = read.lines.filter(({ match }) => match?.kind === 'unknown').slice(0, SHOWN)
  return (
    <Card id="unknown" title={view.say('linesUnknown')}>
      <LinesTable {...{ pages, view, lines }} empty={view.say('noneUnknown')} />
    </Card>
  )
}

function Summary({ pages, view, read: { statement, lines } }: Part) {
  const { say, locale, session } = view
  const { form } = statement
  const count = (of: number) => pages.formats.number(of, locale)
  const state = (of: MatchedLine['state']) => count(lines.filter((line) => line.state === of).length)
  const columns = `${form.date} · ${form.amount} · ${form.text}`
  return (
    <Card id="summary" title={say('linesDecided')}>
      <Facts
        facts={[
          [say('line_approved'), state('approved')],
          [say('line_payout'), state('payout')],
          [say('line_set_aside'), state('set_aside')],
          [say('statementLines'), count(lines.length)],
          [say('statementNew'), count(lines.filter((line) => line.statementId === statement.id).length)],
          [say('statementBy'), statement.importedBy],
          [say('statementLeftOut'), form.left_out === 0 ? null : count(form.left_out)],
          [
            say('statementForm'),
            [form.encoding, form.delimiter, columns, form.day_order, form.decimal].join(' · '),
          ],
        ]}
      />
      <p class="actions">
        <LinkButton href={addressOf(pages.base, 'statements')} label={say('statements')} />
        {mayDo(session.operator, withdrawStatement) &&
        lines.some(({ paymentIds }) => paymentIds.length === 0) ? (
          <ActButton {...{ pages, view }} act={withdrawStatement} id={statement.id} />
        ) : null}
      </p>
    </Card>
  )
}
