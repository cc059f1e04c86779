// What the operator's commands print: the API's answer under its own names, a section for each of its
// members. `--json` prints the answer itself.
import { wallClockIn } from '../runtime/calendar.js'

const INBOX = [
  'kind',
  'waits_since',
  'user_id',
  'payment_id',
  'amount',
  'detail',
  'other_payment_id',
  'count',
  'next_act',
]

/** What a line of each list shows; more would not fit a terminal. */
export const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  users: ['user_id', 'email', 'name', 'plan', 'status', 'current_period_end', 'exact'],
  users_listed: ['user_id', 'email', 'name', 'state', 'plan', 'ended_plan', 'current_period_end', 'balance'],
  payments: [
    ...['id', 'user_id', 'plan', 'months', 'amount', 'currency', 'status', 'method', 'payment_method'],
    ...['checkout_id', 'created_at', 'paid_at', 'period_end', 'second_of'],
  ],
  inbox: INBOX,
  waiting: INBOX,
  time: ['start', 'end', 'given_by', 'plan', 'id'],
  timeline: ['at', 'kind', 'what', 'payment_id', 'amount', 'until', 'actor', 'why'],
  sessions: ['session_id', 'operator', 'role', 'signed_in_by', 'created_at', 'expires_at'],
  changes: ['what', 'of', 'before', 'after'],
  reports: ['at', 'source', 'status', 'amount', 'currency', 'outcome', 'paid_at', 'paid_at_believed'],
  received: ['at', 'type', 'outcome', 'amount'],
  sent: ['at', 'type', 'sequence'],
  trail: ['at', 'actor', 'act', 'user_id', 'payment_id', 'why'],
  audit: ['at', 'actor', 'act', 'payment_id', 'why'],
  discrepancies: ['kind', 'outcome', 'user_id', 'payment_id', 'checkout_id', 'details'],
  batches: [
    ...['batch_id', 'kind', 'plan', 'months', 'percent', 'amount', 'count', 'used', 'left'],
    ...['until', 'revoked_at', 'why'],
  ],
  events: [
    ...['id', 'created_at', 'user_id', 'sequence', 'type', 'state'],
    ...['attempts', 'failure', 'due_at'],
  ],
}

/** What is null or an empty list is left out. */
export function sections(answer: object, timeZone: string): string {
  const members = Object.entries(withLocalTimes(answer, timeZone))
  const plain = members.filter(([, value]) => typeof value !== 'object')
  const parts = members.map(([name, value]) => {
    const rows = Array.isArray(value) ? rowsOf(name, value) : factsOf(value)
    return rows.length === 0 ? '' : `${name}:\n${aligned(rows.map((row) => ['', ...row]))}`
  })
  return [aligned(plain), ...parts].filter((part) => part !== '').join('\n\n') || 'nothing'
}

/** The time on the wall behind each instant, its day where that differs: `…T23:30:00Z (2026-11-22 00:30)`. */
export function withLocalTimes<Answer>(answer: Answer, timeZone: string): Answer {
  const { wallTime } = wallClockIn(timeZone)
  return JSON.parse(JSON.stringify(answer), (_name, value) => {
    if (typeof value !== 'string' || !TIMESTAMP.test(value)) return value
    const [day = '', time = ''] = wallTime(Date.parse(value)).split(' ')
    const clock = time.slice(0, 5)
    return `${value} (${value.startsWith(day) ? clock : `${day} ${clock}`})`
  })
}

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/

function rowsOf(list: string, items: readonly Readonly<Record<string, unknown>>[]): readonly unknown[][] {
  if (typeof items[0] === 'string') return items.map((item) => [item])
  const names = COLUMNS[list] ?? Object.keys(items[0] ?? {})
  return items.length === 0 ? [] : [[...names], ...items.map((item) => names.map((name) => item[name]))]
}

function factsOf(value: unknown): readonly unknown[][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).filter(([, member]) => member !== null)
}

function aligned(rows: readonly (readonly unknown[])[]): string {
  const shown = rows.map((row) => row.map(cellOf))
  const widths = (shown[0] ?? []).map((_, index) => Math.max(...shown.map((row) => row[index]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')
  return shown.map((row) => line(row).trimEnd()).join('\n')
}

function cellOf(value: unknown): string {
  return plainText(typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '-'))
}

/**
 * In what a platform calls its users, control characters would move the cursor of the operator's terminal,
 * and overrides of the writing direction show its columns in another order. The marks that Arabic is written
 * with stay.
 */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '?')
}

/** The same characters escaped. `JSON.stringify` leaves those from DEL on as they are. */
export function plainJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
