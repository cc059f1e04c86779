// A list as a page of the console, with ids and filter in its address. It leads to the next page, to the file
// of all items, and to an act on all of them.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BillingError } from '../core/error.js'
import { mayDo, type Permission, requireRole } from '../core/role.js'
import type { App } from '../http/app.js'
import { checker } from '../http/schemas.js'
import { type ConsoleKey, isConsoleKey } from '../i18n/messages.js'
import { addressOf, type ConsolePages, consolePage, type View, withQuery } from '../pages/console-frame.js'
import { type Column, Pager, Table } from '../pages/console-parts.js'
import { consoleRoute, fromThisSite } from '../pages/console-view.js'
import { type Field, Input } from '../pages/field.js'
import { Card, LinkButton, SubmitButton } from '../pages/parts.js'
import type { SentForm } from '../pages/portal-frame.js'
import { queryOf } from '../pages/reader.js'
import type { AuditDeps } from './audit.sql.js'
import { filterIn, type List, sendListFile } from './list.js'
import type { ReadPage } from './paging.js'

/** The label of a field. Choices replace the values of the schema, whose texts are such as `state_active`. */
export type FieldLabel =
  | ConsoleKey
  | readonly [label: ConsoleKey, choices: (pages: ConsolePages, view: View) => NonNullable<Field['choices']>]

type Filter = Readonly<Record<string, string>>

interface Head {
  /** The title of a page that is about one thing; the title of the list if absent. */
  readonly title?: string
  readonly above?: JSX.Element
  /** Links before those to the file and to the next page. */
  readonly links?: JSX.Element
}

interface ListPageRequest<Deps> {
  readonly pages: ConsolePages & Deps
  readonly view: View
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly params: Filter
  readonly typed: Filter
}

export interface ListPage<Deps, Item, Row = Item> {
  /** The path below `/console/`, with the same parameters as the path of the list. */
  readonly path: string
  readonly title: ConsoleKey
  /** If absent, the list is a section itself. */
  readonly section?: ConsoleKey
  readonly list: List<Deps, Item>
  /** The members of the filter that the form has, in its order. */
  readonly fields: Readonly<Record<string, FieldLabel>>
  readonly shown: number
  /** Loads what the cells need besides the items. */
  rows?(deps: Deps, items: readonly Item[]): Promise<readonly Row[]>
  readonly columns: readonly Column<Row>[]
  readonly idOf?: (row: Row) => string
  readonly empty?: ConsoleKey
  /** The subject of acts on all items. */
  readonly bulk?: 'user' | 'payment'
  /** Runs before the list is read. Throws `not_found`. */
  head?(asked: ListPageRequest<Deps>): Head | Promise<Head>
}

type Pages<Deps> = ConsolePages & Deps & { readonly acts: readonly Permission[] }

export function listRoute<Deps extends AuditDeps, Item, Row>(
  app: App,
  pages: NoInfer<Pages<Deps>>,
  page: ListPage<Deps, Item, Row>,
): void {
  const { list } = page
  const path = `/console/${page.path}`
  const addressIn = (base: string, params: Filter) =>
    addressOf(
      base,
      page.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? '')),
    )
  const typedIn = (request: FastifyRequest) => filterIn(list.filter, (name) => queryOf(request, name) ?? '')
  const filterFrom = (params: Filter, typed: Filter) => ({
    ...params,
    ...checker<object>(list.filter)(typed),
  })

  consoleRoute<string, Filter>(app, pages, path, async ({ view, request, reply, params }) => {
    if (list.permission) requireRole(view.session.operator, list.permission)
    const typed = typedIn(request)
    const head = (await page.head?.({ pages, view, request, reply, params, typed })) ?? {}
    const cursor = queryOf(request, 'cursor') ?? null
    const read = async () => list.read(pages, filterFrom(params, typed), { cursor, limit: page.shown })
    const found: Found<Item> = await read().catch((error: unknown) => {
      // A wrong filter finds nothing, and the form is shown again with what is wrong.
      if (!(error instanceof BillingError) || error.code !== 'validation_failed') throw error
      reply.code(422)
      return { items: [], nextCursor: null, problems: error.problems }
    })
    const rows = page.rows
      ? await page.rows(pages, found.items)
      : (found.items as readonly unknown[] as Row[])
    const address = addressIn(pages.base, params)
    return listPage({ pages, view, page, address, typed, head, rows, found, isFirst: cursor === null })
  })

  if (!list.file) return
  const thisSite = fromThisSite(pages, ({ params }: { readonly params: Filter }) => addressIn('', params))
  app.get<{ Params: Filter }>(`${path}.csv`, thisSite, async (request, reply) => {
    const { operator } = pages.operatorsHere.of(request)
    return sendListFile(pages, list, { of: filterFrom(request.params, typedIn(request)), operator, reply })
  })
}

type Found<Item> = ReadPage<Item> & { readonly problems?: SentForm['problems'] }

interface Shown<Deps, Item, Row> extends Pick<ListPageRequest<Deps>, 'view' | 'typed'> {
  readonly pages: Pages<Deps>
  readonly page: ListPage<Deps, Item, Row>
  readonly address: string
  readonly head: Head
  readonly found: Found<Item>
  readonly rows: readonly Row[]
  readonly isFirst: boolean
}

function listPage<Deps, Item, Row>(shown: Shown<Deps, Item, Row>): string {
  const { pages, view, page, address, typed, head, found, rows, isFirst } = shown
  const { columns, idOf, section = page.title, empty = 'listEmpty' } = page
  const title = view.say(page.title)
  const next = found.nextCursor
  const safeList = (
    <>
      <Table
        {...{ pages, view, rows, columns, ...(idOf && { idOf }) }}
        empty={view.say(next === null ? empty : 'listGoesOn')}
      />
      <Pager
        view={view}
        first={isFirst ? null : withQuery(address, typed)}
        next={next && withQuery(address, { ...typed, cursor: next })}
      >
        {head.links ?? ''}
        <LinksToAll {...shown} />
      </Pager>
    </>
  )
  return consolePage(
    { pages, view, title: head.title ?? title, section, languagePath: withQuery(address, typed) },
    <>
      {head.above ?? ''}
      {Object.keys(page.fields).length === 0 ? null : <Filters {...shown} />}
      {head.title === undefined ? (
        <section class="card" aria-label={title}>
          {safeList}
        </section>
      ) : (
        <Card id="list" title={title}>
          {safeList}
        </Card>
      )}
    </>,
  )
}

/** Links that use all items that match: the file, and an act on each of them. */
function LinksToAll<Deps, Item, Row>({ pages, view, page, address, typed, found }: Shown<Deps, Item, Row>) {
  if (found.problems) return null
  const { operator } = view.session
  const start = pages.acts.find(({ name }) => name === 'bulk.start')
  const ofAll = Object.entries(typed).map(([name, value]) => [`of.${name}`, value])
  const { file } = page.list
  return (
    <>
      {page.bulk && start && mayDo(operator, start) ? (
        <LinkButton
          href={withQuery(addressOf(pages.base, 'bulk/start'), {
            on: page.bulk,
            ...Object.fromEntries(ofAll),
          })}
          label={view.say('bulkChoose')}
        />
      ) : null}
      {file && mayDo(operator, file.permission) ? (
        <LinkButton href={withQuery(`${address}.csv`, typed)} label={view.say('asFile')} />
      ) : null}
    </>
  )
}

function Filters<Deps, Item, Row>({ pages, view, page, address, typed, found }: Shown<Deps, Item, Row>) {
  const { say } = view
  const { properties } = page.list.filter
  const sent = found.problems ? { typed, problems: found.problems } : null
  const isFiltered = Object.keys(typed).length > 0
  return (
    <details class="card" open={isFiltered}>
      <summary safe>{say('filterTrail')}</summary>
      <form method="get" action={address} class="filter">
        {Object.entries(page.fields).map(([name, label]) => {
          const of = { name, label, schema: Object(properties)[name], value: typed[name] ?? '' }
          return <Input {...{ view, sent }} field={fieldOf(pages, view, of)} isRequired={false} />
        })}
        <SubmitButton label={say('filterTrail')} />
        {isFiltered ? <LinkButton href={address} label={say('trailAll')} /> : null}
      </form>
    </details>
  )
}

function fieldOf(
  pages: ConsolePages,
  view: View,
  of: { readonly name: string; readonly label: FieldLabel; readonly schema: object; readonly value: string },
): Field {
  const { name, label, schema, value } = of
  const { say } = view
  const [key, chosen] = typeof label === 'string' ? [label] : label
  const { enum: values, const: only, pattern } = Object(schema)
  const codes: readonly string[] = values ?? (only === undefined ? [] : [only])
  const choices =
    chosen?.(pages, view) ??
    codes.map((code) => {
      const words = `${name}_${code}`
      return [code, isConsoleKey(words) ? say(words) : code] as const
    })
  // A field for days cannot show the instant that an address may have.
  const type = pattern === undefined || value.includes('T') ? ('text' as const) : ('date' as const)
  const field = { name, label: say(key), type, value }
  return choices.length > 0 ? { ...field, choices: [['', say('any')], ...choices] } : field
}
