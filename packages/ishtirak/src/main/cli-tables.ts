// What the operator's commands print: the API's answers as a person reads them. `--json` prints the answers themselves.
import type { Static } from 'typebox'
import type { EventsSchema } from '../events/schemas.js'
import type {
  FoundSchema,
  OperatorPaymentsSchema,
  PaymentFileSchema,
  ReconciliationSchema,
  UserFileSchema,
} from '../operator/schemas.js'
import { wallClockIn } from '../runtime/calendar.js'
import { CommandFailed } from './operator-client.js'

type PaymentFile = Static<typeof PaymentFileSchema>
type UserFile = Static<typeof UserFileSchema>
type Events = Static<typeof EventsSchema>
type Row = readonly (string | number | null)[]

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/

/** Each instant in UTC with the time on the wall behind it, and its day where that differs: `…T23:30:00Z (2026-11-22 00:30)`. */
export function withLocalTimes<Answer>(answer: Answer, timeZone: string): Answer {
  const { wallTime } = wallClockIn(timeZone)
  return JSON.parse(JSON.stringify(answer), (_name, value) => {
    if (typeof value !== 'string' || !TIMESTAMP.test(value)) return value
    const [day = '', time = ''] = wallTime(Date.parse(value)).split(' ')
    const clock = time.slice(0, 5)
    return `${value} (${value.startsWith(day) ? clock : `${day} ${clock}`})`
  })
}

/** Throws `CommandFailed` where nothing was found. */
export function foundTable({ users, payments }: Static<typeof FoundSchema>, word: string): string {
  if (users.length + payments.length === 0) throw new CommandFailed(`nothing is known as ${word}`)
  const found = users.map(({ user_id, email, name }) => [user_id, email, name])
  return sections(
    found.length === 0 ? '' : columns([['USER', 'EMAIL', 'NAME'], ...found]),
    payments.length === 0 ? '' : paymentsTable({ data: payments }),
  )
}

export function paymentsTable({ data }: Static<typeof OperatorPaymentsSchema>): string {
  if (data.length === 0) return 'no payments'
  return columns([
    ['PAYMENT', 'USER', 'PLAN', 'AMOUNT', 'STATUS', 'CARD', 'CREATED', 'PAID', 'UNTIL'],
    ...data.map((payment) => [
      payment.id,
      payment.user_id,
      payment.plan,
      `${payment.amount} ${payment.currency}`,
      payment.second_of === null ? payment.status : `${payment.status} (second)`,
      payment.payment_method,
      payment.created_at,
      payment.paid_at,
      payment.period_end,
    ]),
  ])
}

export function paymentFile({ payment, receipt, ...file }: PaymentFile): string {
  const { review } = payment
  return sections(
    facts([
      ['payment', payment.id],
      ['user', payment.user_id],
      ['status', payment.status],
      ['plan', `${payment.plan}, ${payment.amount} ${payment.currency}`],
      ['card', payment.payment_method],
      ['checkout', payment.checkout_id],
      ['created', payment.created_at],
      ['payable until', payment.expires_at],
      ['paid', payment.paid_at],
      ['settled by', file.settled_by],
      ['bought', payment.period_start && `${payment.period_start} to ${payment.period_end}`],
      ['receipt', receipt && `${receipt.number}, issued ${receipt.issued_at}`],
      ['second of', payment.second_of],
      ['asked again', payment.next_check_at],
      ['differs', review && `${review.differences.join('; ')} (the provider: ${review.provider_status})`],
    ]),
    titled('what the provider said', file.reports.map(reportCells)),
    titled(
      'received from the provider',
      file.received.map(({ at, type, outcome, amount }) => [at, type, outcome, amount]),
    ),
    titled(
      'sent to the platform',
      file.sent.map(({ at, type, sequence }) => [at, type, `number ${sequence}`]),
    ),
    auditTable(file.audit),
  )
}

function reportCells(report: PaymentFile['reports'][number]): Row {
  const { at, source, status, amount, currency, outcome, paid_at: paidAt } = report
  const instant = paidAt === null ? '-' : `paid ${paidAt}`
  const doubt = report.paid_at_believed ? '' : ' (instant not believed)'
  return [at, source, status, `${amount ?? '-'} ${currency ?? ''}`, outcome, `${instant}${doubt}`]
}

export function userFile(user: UserFile): string {
  return sections(
    facts([
      ['user', user.user_id],
      ['name', user.name],
      ['email', user.email],
      ['plan', `${user.plan}, ${user.status}`],
      ['until', user.current_period_end],
      ['ended', user.ended_at],
    ]),
    paymentsTable({ data: user.payments }),
    auditTable(user.audit),
  )
}

export function reconciliationTable(answer: Static<typeof ReconciliationSchema>): string {
  const { since, finished_at: finishedAt, calls, checkouts } = answer.reconciliation
  const end = finishedAt === null ? 'not finished' : `finished ${finishedAt}`
  const head = `compared since ${since}: ${checkouts} checkouts, ${calls} calls, ${end}`
  if (answer.findings.length === 0) return `${head}\nboth sides agree`
  return sections(
    head,
    columns([
      ['FOUND', 'OUTCOME', 'USER', 'PAYMENT', 'CHECKOUT', 'DETAILS'],
      ...answer.findings.map(({ kind, outcome, user_id, payment_id, checkout_id, details }) => [
        ...[kind, outcome, user_id, payment_id, checkout_id],
        JSON.stringify(details),
      ]),
    ]),
  )
}

export function eventsTable({ endpoint, waiting, data }: Events): string {
  const rows = data.map(({ id, created_at, user_id, sequence, type, state, attempts, due_at, failure }) => {
    const failed = state === 'waiting' && attempts > 0 ? `${attempts} attempts, ${failure ?? ''}` : ''
    const due = due_at === null ? '' : `due ${due_at}`
    const cells = [id, created_at, `${user_id}#${sequence}`, type, state, failed, due]
    return cells.filter((cell) => cell !== '').join('  ')
  })
  const count = `${waiting.events} events of ${waiting.users} users wait`
  return [endpointState(endpoint), count, ...rows].join('\n')
}

function endpointState(endpoint: Events['endpoint']): string {
  if (endpoint === null) return 'EVENTS_URL was never set: events are written and not sent'
  if (endpoint.state === 'disabled') {
    return `EVENTS_URL is SWITCHED OFF since ${endpoint.disabled_at}: ${endpoint.disabled_because}
  -> mend the receiver, then: ishtirak events resend --all-undelivered`
  }
  return endpoint.state === 'failing'
    ? `EVENTS_URL fails since ${endpoint.failing_since}`
    : 'EVENTS_URL works'
}

function auditTable(audit: UserFile['audit']): string {
  return titled(
    'done by hand',
    audit.map(({ at, actor, act, payment_id, why }) => [at, actor, act, payment_id, why]),
  )
}

function sections(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n')
}

function titled(title: string, rows: readonly Row[]): string {
  return rows.length === 0 ? '' : `${title}:\n${columns(rows.map((row) => ['', ...row]))}`
}

function facts(rows: readonly (readonly [string, string | null])[]): string {
  return columns(rows.filter(([, value]) => value !== null))
}

function columns(rows: readonly Row[]): string {
  // Control characters in what a platform calls its users would move the cursor of the operator's terminal.
  const shown = rows.map((row) => row.map((cell) => String(cell ?? '-').replace(/\p{Cc}/gu, '?')))
  const widths = (shown[0] ?? []).map((_, index) => Math.max(...shown.map((row) => row[index]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')
  return shown.map((row) => line(row).trimEnd()).join('\n')
}
