// The service with one of its rules taken out: what the simulation is there to find. Each says what was broken, and
// refuses when the thing to break is not there any more, or its test would prove nothing.
import type { Calendar } from '../../src/domain/period.js'
import { createCalendar } from '../../src/runtime/calendar.js'
import type { Database, Statement } from '../../src/store/database.js'

/** Event ids that may be stored twice. Of a database that is thrown away afterwards. */
export async function dropEventConstraint(database: Database): Promise<void> {
  await database.script('alter table provider_events drop constraint provider_events_once')
}

/** Changes that are saved whatever was changed since they were decided. */
export function withoutVersionGuard(
  database: Database,
): Database & { readonly forgotten: ReadonlySet<string> } {
  const forgotten = new Set<string>()
  const unguarded = (statement: Statement): Statement => {
    const text = GUARDS.reduce((text, [guard, none]) => text.replace(guard, none), statement.text)
    if (text === statement.text) return statement
    forgotten.add(statement.name)
    return { name: `${statement.name}.unguarded`, text }
  }
  return {
    forgotten,
    kind: database.kind,
    query: (statement, parameters) => database.query(unguarded(statement), parameters),
    transaction: (work) => database.transaction(work),
    script: (sql) => database.script(sql),
    close: () => database.close(),
  }
}

/** In settlements.save and upgrades.request. The second keeps its parameter, or it would have no type. */
const GUARDS = [
  ['and u.version = i.version', ''],
  ['and version = $2 returning', 'and $2::bigint is not null returning'],
] as const

/** Each month's end computed from the one before: 31 January, 28 February, 28 March. */
export function monthByMonth(): Calendar {
  const { monthsAfter } = createCalendar('Africa/Algiers')
  return {
    monthsAfter: (anchor, months) => {
      let end = anchor
      for (let month = 0; month < months; month++) end = monthsAfter(end, 1)
      return end
    },
  }
}
