// What the operator's commands print: the API's answers as a person reads them. `--json` prints the answers themselves.

import { wallClockIn } from '../runtime/calendar.js'

/** The parts of the answers that are printed; the schemas are in http/schemas-operator.ts. */
export interface ShownPayment {
  readonly id: string
  readonly user_id: string
  readonly plan: string
  readonly amount: number
  readonly currency: string
  readonly status: string
  readonly payment_method: string | null
  readonly checkout_id: string | null
  readonly created_at: string
  readonly expires_at: string
  readonly paid_at: string | null
  readonly period_start: string | null
  readonly period_end: string | null
  readonly second_of: string | null
  readonly next_check_at: string | null
  readonly review: {
    readonly differences: readonly string[]
    readonly provider_status: string
    readonly checkout_id: string
  } | null
}

export interface ShownAct {
  readonly at: string
  readonly actor: string
  readonly act: string
  readonly why: string | null
  readonly payment_id: string | null
}

export interface ShownFile {
  readonly payment: ShownPayment
  readonly receipt: { readonly number: string; readonly issued_at: string } | null
  readonly settled_by: string | null
  readonly reports: readonly {
    readonly at: string
    readonly source: string
    readonly status: string
    readonly amount: number | null
    readonly currency: string | null
    readonly outcome: string
    readonly paid_at: string | null
    readonly paid_at_believed: boolean
  }[]
  readonly received: readonly {
    readonly at: string
    readonly type: string
    readonly outcome: string
    readonly amount: number | null
  }[]
  readonly sent: readonly { readonly at: string; readonly type: string; readonly sequence: number }[]
  readonly audit: readonly ShownAct[]
}

export interface ShownUser {
  readonly user_id: string
  readonly email: string | null
  readonly name: string | null
  readonly plan: string
  readonly status: string
  readonly current_period_end: string | null
  readonly paid_until: string | null
  readonly ended_at: string | null
  readonly payments: readonly ShownPayment[]
  readonly audit: readonly ShownAct[]
}

export interface ShownReconciliation {
  readonly reconciliation: {
    readonly id: string
    readonly since: string
    readonly finished_at: string | null
    readonly calls: number
    readonly checkouts: number
  }
  readonly findings: readonly {
    readonly kind: string
    readonly outcome: string
    readonly user_id: string | null
    readonly payment_id: string | null
    readonly checkout_id: string
    readonly details: unknown
  }[]
}

export interface ShownFound {
  readonly users: readonly {
    readonly user_id: string
    readonly email: string | null
    readonly name: string | null
  }[]
  readonly payments: readonly ShownPayment[]
}

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

export function foundTable({ users, payments }: ShownFound): string {
  const known = users.map(({ user_id, email, name }) => [user_id, email, name])
  return sections(
    users.length === 0 ? '' : columns([['USER', 'EMAIL', 'NAME'], ...known]),
    payments.length === 0 ? '' : paymentsTable(payments),
  )
}

export function paymentsTable(payments: readonly ShownPayment[]): string {
  if (payments.length === 0) return 'no payments'
  return columns([
    ['PAYMENT', 'USER', 'PLAN', 'AMOUNT', 'STATUS', 'CARD', 'CREATED', 'PAID', 'UNTIL'],
    ...payments.map((payment) => [
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

export function paymentFile({
  payment,
  receipt,
  settled_by,
  reports,
  received,
  sent,
  audit,
}: ShownFile): string {
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
      ['settled by', settled_by],
      ['bought', payment.period_start && `${payment.period_start} to ${payment.period_end}`],
      ['receipt', receipt && `${receipt.number}, issued ${receipt.issued_at}`],
      ['second of', payment.second_of],
      ['asked again', payment.next_check_at],
      ['differs', review && `${review.differences.join('; ')} (the provider: ${review.provider_status})`],
    ]),
    titled('what the provider said', reports.map(reportCells)),
    titled(
      'received from the provider',
      received.map(({ at, type, outcome, amount }) => [at, type, outcome, shown(amount)]),
    ),
    titled(
      'sent to the platform',
      sent.map(({ at, type, sequence }) => [at, type, `number ${sequence}`]),
    ),
    auditTable(audit),
  )
}

function reportCells(report: ShownFile['reports'][number]): (string | null)[] {
  const { at, source, status, amount, currency, outcome, paid_at: paidAt } = report
  const instant = paidAt === null ? null : `paid ${paidAt}`
  const doubt = report.paid_at_believed ? '' : ' (instant not believed)'
  return [at, source, status, `${shown(amount)} ${currency ?? ''}`, outcome, `${instant ?? '-'}${doubt}`]
}

function shown(amount: number | null): string {
  return amount === null ? '-' : String(amount)
}

export function userFile(user: ShownUser): string {
  return sections(
    facts([
      ['user', user.user_id],
      ['name', user.name],
      ['email', user.email],
      ['plan', `${user.plan}, ${user.status}`],
      ['until', user.current_period_end],
      ['ended', user.ended_at],
    ]),
    paymentsTable(user.payments),
    auditTable(user.audit),
  )
}

export function reconciliationTable({ reconciliation, findings }: ShownReconciliation): string {
  const { since, finished_at: finishedAt, calls, checkouts } = reconciliation
  const head = `compared since ${since}: ${checkouts} checkouts, ${calls} calls, ${
    finishedAt === null ? 'not finished' : `finished ${finishedAt}`
  }`
  if (findings.length === 0) return `${head}\nboth sides agree`
  return sections(
    head,
    columns([
      ['FOUND', 'OUTCOME', 'USER', 'PAYMENT', 'CHECKOUT', 'DETAILS'],
      ...findings.map((finding) => [
        finding.kind,
        finding.outcome,
        finding.user_id,
        finding.payment_id,
        finding.checkout_id,
        JSON.stringify(finding.details),
      ]),
    ]),
  )
}

function auditTable(audit: readonly ShownAct[]): string {
  return titled(
    'done by hand',
    audit.map(({ at, actor, act, payment_id, why }) => [at, actor, act, payment_id, why]),
  )
}

function sections(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n')
}

function titled(title: string, rows: readonly (readonly (string | null)[])[]): string {
  return rows.length === 0 ? '' : `${title}:\n${columns(rows.map((row) => ['', ...row]))}`
}

function facts(rows: readonly (readonly [string, string | null])[]): string {
  return columns(rows.filter(([, value]) => value !== null))
}

/** Control characters in what a platform calls its users would move the cursor of the operator's terminal. */
function printable(cell: string | null): string {
  return cell === null ? '-' : cell.replace(/\p{Cc}/gu, '?')
}

function columns(rows: readonly (readonly (string | null)[])[]): string {
  const shown = rows.map((row) => row.map(printable))
  const widths = (shown[0] ?? []).map((_, index) => Math.max(...shown.map((row) => row[index]?.length ?? 0)))
  return shown
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
