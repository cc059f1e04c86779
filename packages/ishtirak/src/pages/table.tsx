// A table of the console, made from its columns. On a narrow screen each row is a block, with the heads
// before the values.
import type { ConsoleKey } from '../i18n/messages.js'
import { type ConsolePages, Hint, Link, type LinkedFact, NoWrap, Text, type View } from './console-frame.js'
import { UserCell } from './user-cell.js'

/** The kinds of columns. Each returns what a row shows; null: nothing. */
interface CellKinds<Item> {
  text(item: Item, view: View, pages: ConsolePages): string | null
  /** A text that stays on one line, such as an instant. */
  nowrap(item: Item, view: View, pages: ConsolePages): string | null
  /** An amount or a count. This column and all after it are aligned as figures. */
  figure(item: Item, view: View, pages: ConsolePages): string | null
  user(item: Item, view: View, pages: ConsolePages): Parameters<typeof UserCell>[0]['user']
  link(item: Item, view: View, pages: ConsolePages): LinkedFact | null
  safe(item: Item, view: View, pages: ConsolePages): JSX.Element | null
}

type OneOf<Kinds> = { [Kind in keyof Kinds]: Readonly<Pick<Kinds, Kind>> }[keyof Kinds]

export type Column<Item> = OneOf<CellKinds<Item>> & {
  /** A key of the console's texts, or other words, such as the name of a month. */
  readonly head: ConsoleKey | { readonly words: string }
  /** True for the first column, which names its row. */
  readonly isName?: true
  readonly isFigure?: true
  /** It is left out on a phone. */
  readonly isOnWide?: true
}

interface TableOf<Item> {
  readonly pages: ConsolePages
  readonly view: View
  readonly rows: readonly Item[]
  readonly columns: readonly Column<Item>[]
  readonly empty?: string
  /** The row's id, for links to the row. */
  readonly idOf?: (item: Item) => string
}

/** A table with more columns scrolls sideways, and its first column stays. */
const FITTING = 6

export function Table<Item>({ pages, view, rows, columns, empty, idOf }: TableOf<Item>) {
  if (empty !== undefined && rows.length === 0) return <Hint>{empty}</Hint>
  const heads = columns.map(({ head }) => (typeof head === 'string' ? view.say(head) : head.words))
  const figures = columns.findIndex((column) => 'figure' in column || column.isFigure) + 1
  return (
    <div {...(columns.length > FITTING ? wide(view) : { class: 'rows' })}>
      <table class={figures === 0 ? undefined : `figures-${figures}`}>
        <thead>
          <tr>
            {heads.map((head, index) => (
              <th scope="col" class={classOf(columns[index])} safe>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((item) => (
            <tr id={idOf?.(item)}>
              {columns.map((column, index) => {
                const safeCell = cellOf(column, item, { pages, view })
                const cell = safeCell === '' ? '' : <div>{safeCell}</div>
                return column.isName ? (
                  <th scope="row" data-label={heads[index]}>
                    {cell}
                  </th>
                ) : (
                  <td data-label={cell === '' ? undefined : heads[index]} class={classOf(column)}>
                    {cell}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** A part that scrolls must be reachable by keyboard. */
const wide = ({ say }: View) =>
  ({ class: 'rows wide', tabindex: 0, role: 'group', 'aria-label': say('tableScrolls') }) as const

const classOf = (column: { readonly isOnWide?: true } | undefined) =>
  column?.isOnWide ? 'on-wide' : undefined

function cellOf<Item>(
  column: Column<Item>,
  item: Item,
  { pages, view }: Pick<TableOf<Item>, 'pages' | 'view'>,
) {
  if ('safe' in column) return column.safe(item, view, pages) ?? ''
  if ('link' in column) {
    const link = column.link(item, view, pages)
    return link === null ? '' : <Link {...link} isRow />
  }
  if ('user' in column) return <UserCell {...{ pages, user: column.user(item, view, pages) }} />
  if ('text' in column) return <Text>{column.text(item, view, pages) ?? ''}</Text>
  const words = ('figure' in column ? column.figure : column.nowrap)(item, view, pages)
  return words === null ? '' : <NoWrap>{words}</NoWrap>
}
