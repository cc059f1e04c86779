// How commands print an answer of the API: under its own names, each list and object as a section. `--json`
// prints the answer itself.
import { wallClockIn } from '../runtime/calendar.js'

/**
 * The columns of each list, by its name, because a terminal has no room for more. `users.new` is a member of
 * a member. A list without columns here shows all members.
 */
export type ShownColumns = Readonly<Record<string, readonly string[]>>

const WAITING = [
  ...['kind', 'waits_since', 'user_id', 'payment_id', 'amount', 'detail', 'other_payment_id', 'count'],
  'next_act',
]
export const SHARED_COLUMNS: ShownColumns = {
  audit: ['at', 'actor', 'act', 'payment_id', 'why'],
  inbox: WAITING,
  payments: [
    ...['id', 'user_id', 'plan', 'months', 'amount', 'currency', 'status', 'method', 'payment_method'],
    ...['checkout_id', 'created_at', 'paid_at', 'period_end', 'second_of'],
  ],
  waiting: WAITING,
}

/** Prints each list and object as a section. Null members and empty lists are left out. */
export function sections(answer: object, timeZone: string, own: ShownColumns = {}): string {
  const columns = { ...SHARED_COLUMNS, ...own }
  const members = Object.entries(withLocalTimes(answer, timeZone))
  const plain = members.filter(([, value]) => typeof value !== 'object')
  const parts = members.map(([name, value]) => {
    const rows = Array.isArray(value) ? rowsOf(columns[name], value) : factsOf(value)
    return rows.length === 0 ? '' : `${name}:\n${aligned(rows.map((row) => ['', ...row]))}`
  })
  return [aligned(plain), ...parts].filter((part) => part !== '').join('\n\n') || 'nothing'
}

/** Adds the local time to each instant, and the day if it differs: `…T23:30:00Z (2026-11-22 00:30)`. */
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

function rowsOf(
  columns: readonly string[] | undefined,
  items: readonly Readonly<Record<string, unknown>>[],
): readonly unknown[][] {
  if (typeof items[0] === 'string') return items.map((item) => [item])
  const names = columns ?? Object.keys(items[0] ?? {})
  return items.length === 0
    ? []
    : [[...names], ...items.map((item) => names.map((name) => memberOf(item, name)))]
}

function memberOf(item: unknown, path: string): unknown {
  return path.split('.').reduce((member, name) => Object(member)[name], item)
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

/** A user's name could move the cursor of the terminal, or turn the columns. Marks of Arabic stay. */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '?')
}

/** Prints JSON with the same characters escaped. `JSON.stringify` does not escape those from DEL on. */
export function plainJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
