// The audit trail on a page: all acts, newest first, page by page, with a filter.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { type Field, Input } from '../acts/act-page.js'
import { type Labels, PaymentLink, readLabels } from '../ledger/labels.js'
import { type ConsolePages, Pager, Table, type View, withQuery } from '../pages/console-frame.js'
import { codeInWords, recordedActs } from '../pages/console-words.js'
import { Card, LinkButton, SubmitButton } from '../pages/portal-frame.js'
import { queryOf } from '../pages/reader.js'
import { UserCell } from '../pages/user-cell.js'
import { readTrail, type TrailFilterSchema } from './audit-trail.js'
import { type ListFileDeps, sendTrail } from './list-files.js'
import { trailRow } from './trail.js'

/** With reasons of 500 letters the pages are under 60 kB. */
const SHOWN = 12

/** As it stands in the address; empty: any. `about` is a user or a payment. */
type Filter = Readonly<Record<'actor' | 'act' | 'day' | 'about' | 'q', string>>

type ShownTrail = Awaited<ReturnType<typeof trailIn>>

/** What the address asks for. Throws `validation_failed` and `invalid_cursor`. */
export async function trailIn(pages: ConsolePages, request: FastifyRequest) {
  const filter = filterIn(request)
  const cursor = queryOf(request, 'cursor')?.trim() ?? ''
  const trail = await readTrail(pages, { ...asAsked(filter), ...given({ cursor }), limit: SHOWN })
  const labels = await readLabels(pages, {
    payments: trail.data.map(({ payment_id }) => payment_id),
    users: trail.data.map(({ user_id }) => user_id),
  })
  return { filter, trail, labels, isFirst: cursor === '' }
}

function filterIn(request: FastifyRequest): Filter {
  const typed = (name: string) => queryOf(request, name)?.trim() ?? ''
  return {
    ...{ actor: typed('actor'), act: typed('act'), day: typed('day') },
    ...{ about: typed('about'), q: typed('q') },
  }
}

/** As the API is asked. */
function asAsked({ about, ...same }: Filter): Static<typeof TrailFilterSchema> {
  const of = about === '' ? {} : { [/^pay_\w+$/.test(about) ? 'payment_id' : 'user_id']: about }
  return { ...given(same), ...of }
}

/** All that the address asks for, as a file. */
export function trailFileIn(
  pages: ConsolePages & ListFileDeps,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { operator } = pages.operatorsHere.of(request)
  return sendTrail(pages, { filter: asAsked(filterIn(request)), operator, reply })
}

function given<Name extends string>(values: Readonly<Record<Name, string>>): Partial<Record<Name, string>> {
  return Object.fromEntries(Object.entries<string>(values).filter(([, value]) => value !== '')) as Partial<
    Record<Name, string>
  >
}

/** The page with this filter, on which the trail goes on at the cursor. */
export function trailAddress(path: string, filter: Filter, cursor = ''): string {
  return withQuery(path, { ...filter, cursor })
}

interface TrailOf {
  readonly pages: ConsolePages
  readonly view: View
  /** Of the page that it stands on. */
  readonly path: string
  readonly shown: ShownTrail
}

export function TrailCard(of: TrailOf) {
  const { pages, view, path, shown } = of
  const { say } = view
  const { filter, trail, labels, isFirst } = shown
  const next = trail.next_cursor
  const isFiltered = Object.values(filter).some((value) => value !== '')
  const rows = trail.data.map((entry) =>
    trailRow({ pages, view }, entry, [<About {...{ pages, view, labels, entry }} />]),
  )
  const columns = [say('when'), say('who'), say('act'), say('about'), say('why')]
  return (
    <Card id="trail" title={say('trail')}>
      <Filters {...of} />
      <Table columns={columns} safeRows={rows} empty={say(isFiltered ? 'trailNothing' : 'trailEmpty')} />
      <Pager
        view={view}
        first={isFirst ? null : `${trailAddress(path, filter)}#trail`}
        next={next && `${trailAddress(path, filter, next)}#trail`}
      >
        {isFiltered ? <LinkButton href={`${path}#trail`} label={say('trailAll')} /> : null}
      </Pager>
    </Card>
  )
}

function Filters({ view, path, shown: { filter } }: TrailOf) {
  const { say } = view
  const acts = recordedActs().map((act) => [act, codeInWords(view, 'did', act)] as const)
  const fields: readonly Field[] = [
    { name: 'actor', label: say('who'), type: 'text', value: filter.actor },
    {
      name: 'act',
      label: say('act'),
      type: 'text',
      value: filter.act,
      choices: [['', say('anyAct')], ...acts],
    },
    { name: 'day', label: say('day'), type: 'date', value: filter.day },
    { name: 'about', label: say('aboutLabel'), type: 'text', value: filter.about },
    { name: 'q', label: say('trailWords'), type: 'text', value: filter.q },
  ]
  return (
    <form method="get" action={`${path}#trail`} class="filter">
      {fields.map((field) => (
        <Input view={view} field={field} sent={null} isRequired={false} />
      ))}
      <SubmitButton label={say('filterTrail')} />
    </form>
  )
}

function About(
  of: Pick<TrailOf, 'pages' | 'view'> & { labels: Labels; entry: ShownTrail['trail']['data'][number] },
) {
  const { pages, view, labels, entry } = of
  const { user_id: userId, payment_id: id } = entry
  return (
    <>
      <UserCell {...{ pages, user: labels.user(userId) }} />
      {id === null ? null : <PaymentLink {...{ pages, view, id }} payment={labels.payment(id)} />}
    </>
  )
}
