// The columns of bank files and of their lines, as the pages of the console show them.
import { ActLink } from '../acts/act-links.js'
import { formatReference } from '../core/reference.js'
import { addressOf, type View } from '../pages/console-frame.js'
import type { Column } from '../pages/console-parts.js'
import type { StoredStatement } from './bank-statements.sql.js'
import { LINE_ACTS, stateAfter } from './line-acts.js'
import type { MatchedLine } from './read-statement.js'

/** An amount with either sign before the centimes. */
export const DECIMALS = { ',': '1.980,00', '.': '1,980.00' }

export const fileColumns = (heads: readonly string[]): readonly Column<readonly string[]>[] =>
  heads.map((words, at) => ({ head: { words }, text: (row) => row[at] ?? '' }))

export function daysOf({ day }: View, { first_day, last_day }: StoredStatement): string {
  return `${day(first_day)} – ${day(last_day)}`
}

export const LINE_COLUMNS: readonly Column<MatchedLine>[] = [
  { head: 'day', nowrap: (line, { day }) => day(line.day) },
  { head: 'amount', nowrap: (line, { centimes }) => centimes(line.centimes) },
  { head: 'lineText', text: ({ text }) => text },
]

export const LINES: readonly Column<MatchedLine>[] = [
  ...LINE_COLUMNS,
  {
    head: 'what',
    safe: (line, view, pages) => (
      <>
        {line.state === 'returned'
          ? line.references.map((reference) => (
              <a class="line" href={`${addressOf(pages.base, 'search')}?q=${reference}`}>
                <bdi safe>{formatReference(reference)}</bdi>
              </a>
            ))
          : null}
        {line.match === null || line.match.kind === 'unknown' ? null : (
          <a class="line" href={addressOf(pages.base, 'bank-statements', line.statement_id)} safe>
            {view.say(line.match.kind === 'sure' ? 'linesSure' : 'linesToChoose')}
          </a>
        )}
        {LINE_ACTS.filter(({ verb }) => stateAfter(line, verb) !== null).map(({ act }) => (
          <ActLink {...{ pages, view, act, id: line.id }} />
        ))}
      </>
    ),
  },
]
