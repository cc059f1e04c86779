// Closings of one month at several cells as one: its figures are the sums of theirs.
import type { Row } from '../database/database.js'

/** A month is closed where every cell has closed it: one that is open has figures of now. */
export function closedAtAll(cells: readonly (readonly Row[])[]): readonly Row[] {
  const rows = cells.flat()
  return [...new Set(rows.map(({ month }) => month))].flatMap((month) => {
    const closings = rows.filter((row) => row.month === month)
    return closings.length === cells.length ? [closings.reduce(addClosings)] : []
  })
}

/** The last month that every cell has closed. */
export function lastClosedAtAll(cells: readonly (readonly Row[])[]): readonly Row[] {
  const months = cells.map(([row]) => row?.month ?? null)
  const [first] = months.filter((month) => month !== null).sort()
  return [{ month: months.includes(null) ? null : first }]
}

function addClosings(one: Row, other: Row): Row {
  const names = [one.closed_by, other.closed_by].map(String)
  return {
    ...one,
    sequence: Math.max(Number(one.sequence), Number(other.sequence)),
    figures: added(one.figures, other.figures),
    // A series is one cell's.
    counted: { ...Object(one.counted), ...Object(other.counted) },
    closed_at: Math.max(Number(one.closed_at), Number(other.closed_at)),
    closed_by: [...new Set(names)].join(', '),
  }
}

/** What figures are of, and no figures. */
const OF = new Set('month day from to live method instrument taxRate kind isOfMonth'.split(' '))

function added(one: unknown, other: unknown): unknown {
  if (one === null || one === undefined) return other
  if (other === null || other === undefined) return one
  if (Array.isArray(one)) return addLists([...one, ...Object(other)])
  if (typeof one !== 'object') return Number(one) + Number(other)
  const [first, second]: Readonly<Record<string, unknown>>[] = [Object(one), Object(other)]
  const sums = Object.keys({ ...first, ...second }).map((name) => {
    const [here, there] = [first?.[name], second?.[name]]
    return [name, OF.has(name) ? (here ?? there) : added(here, there)]
  })
  return Object.fromEntries(sums)
}

function addLists(all: readonly object[]): readonly unknown[] {
  const sums = new Map<string, unknown>()
  for (const one of all) {
    const key = JSON.stringify(Object.entries(one).filter(([name]) => OF.has(name)))
    sums.set(key, added(sums.get(key), one))
  }
  return [...sums.values()]
}
