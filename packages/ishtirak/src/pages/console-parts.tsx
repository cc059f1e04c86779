// Parts of the console's pages. A table is made from its columns; on a narrow screen each row is a block,
// with the heads before the values.
import type { PropsWithChildren } from '@kitajs/html'
import { plainName } from '../core/name.js'
import type { ConsoleKey } from '../i18n/messages.js'
import { addressOf, type ConsolePages, type View } from './console-frame.js'
import { LinkButton } from './parts.js'

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

interface Named {
  readonly userId: string | null
  readonly name?: string | null
  readonly email?: string | null
}

/** Shows a name, address or id that leads to the user's page, and the address below the name. */
export function UserCell({ pages, user }: { pages: ConsolePages; user: Named }) {
  const { userId, name = null, email = null } = user
  if (userId === null) return ''
  return (
    <>
      <a href={addressOf(pages.base, 'users', userId)}>
        <bdi safe>{plainName(name ?? email ?? userId)}</bdi>
      </a>
      <Under>{name === null || email === null ? null : plainName(email)}</Under>
    </>
  )
}

export function Folded(of: PropsWithChildren<{ id: string; title: string; isOpen: boolean }>) {
  return (
    <details class="card" open={of.isOpen}>
      <summary>
        <h2 safe>{of.title}</h2>
      </summary>
      <div id={of.id} class="folded">
        {of.children}
      </div>
    </details>
  )
}

/** Sentences at the top of a page; null ones are left out. */
export function Notices({ of, warn = false }: { of: readonly (string | null)[]; warn?: boolean }) {
  return (
    <>
      {of.map((text) =>
        text === null ? null : (
          <p class={warn ? 'notice warn' : 'notice'} role={warn ? 'status' : undefined} safe>
            {text}
          </p>
        ),
      )}
    </>
  )
}

/** Links to the first and to the next page of a list, if there are such pages. */
export function Pager(of: PropsWithChildren<{ view: View; first: string | null; next: string | null }>) {
  const { view, first, next, children } = of
  if (first === null && next === null && !children) return null
  return (
    <p class="actions">
      {children}
      {first === null ? null : <LinkButton href={first} label={view.say('firstPage')} />}
      {next === null ? null : <LinkButton href={next} label={view.say('nextPage')} />}
    </p>
  )
}

export interface LinkedFact {
  readonly href: string
  readonly text: string
  /** An id, in small type. */
  readonly under?: string
}

export type Fact = readonly [name: string, value: string | LinkedFact | null]

/** Names with their values; null values are left out. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) =>
        value === null ? null : (
          <div>
            <dt safe>{name}</dt>
            <dd>{typeof value === 'string' ? <Text>{value}</Text> : <Link {...value} />}</dd>
          </div>
        ),
      )}
    </dl>
  )
}

/** `isRow`: the whole row of the table is the link. */
function Link({ href, text, under, isRow }: LinkedFact & { readonly isRow?: boolean }) {
  return (
    <>
      <a href={href} class={isRow ? 'leads' : undefined}>
        <bdi safe>{text}</bdi>
      </a>
      <Under>{under ?? null}</Under>
    </>
  )
}

export function Under({ children }: PropsWithChildren<{ children: string | null }>) {
  if (children === null) return null
  return (
    <span class="soft small line">
      <Text>{children}</Text>
    </span>
  )
}

export function Hint({ children }: PropsWithChildren<{ children: string }>) {
  return (
    <p class="soft small" safe>
      {children}
    </p>
  )
}

export function NoWrap({ children }: PropsWithChildren<{ children: string }>) {
  return (
    <bdi class="nowrap" safe>
      {children}
    </bdi>
  )
}

/**
 * A text in the direction of its first letter. One of our sentences (it isolates its data by U+2068) has the
 * direction of the page, because browsers would look at the name that it may begin with.
 */
export function Text({ children }: PropsWithChildren<{ children: string }>) {
  if (children === '') return ''
  return children.includes('\u2068') ? <span safe>{children}</span> : <bdi safe>{children}</bdi>
}
