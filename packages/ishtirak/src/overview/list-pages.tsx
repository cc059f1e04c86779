// The lists of users and of payments in the console, with a filter in the address: page by page, as a file,
// and the way to an act on all of them.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TObject } from 'typebox'
import { type Field, Input, type SentForm } from '../acts/act-page.js'
import { accessInWords } from '../acts/changes.js'
import { filterIn } from '../acts/list.js'
import { BillingError } from '../core/error.js'
import { kindOf, PAYMENT_KINDS, type Payment, PUBLIC_PAYMENT_STATUSES } from '../core/payment.js'
import { mayDo, type Permission } from '../core/role.js'
import type { App } from '../http/app.js'
import { checker } from '../http/checker.js'
import type { ConsoleKey } from '../i18n/console.js'
import { planName } from '../i18n/messages.js'
import { PaymentFilterSchema, pageOfPayments } from '../ledger/payment-list.js'
import { StatusBadge } from '../ledger/status-badge.js'
import { type ListedUser, pageOfUsers, USER_STATES, UserFilterSchema } from '../ledger/user-list.js'
import {
  addressOf,
  NoWrap,
  Pager,
  renderConsole,
  sendPage,
  Table,
  Text,
  type View,
  withQuery,
} from '../pages/console-frame.js'
import { forOperators, fromThisSite, viewOf } from '../pages/console-view.js'
import { codeInWords } from '../pages/console-words.js'
import { LinkButton, SubmitButton } from '../pages/portal-frame.js'
import { queryOf } from '../pages/reader.js'
import { UserCell } from '../pages/user-cell.js'
import type { AllPages } from './all-pages.js'
import { PAYMENTS_EXPORT, sendPayments, sendUsers, USERS_EXPORT } from './list-files.js'

const SHOWN = 25

/** A list as the console shows it. */
interface ListPage<Item> {
  readonly section: 'users' | 'payments'
  readonly filter: TObject
  readonly permission: Permission
  fields(pages: AllPages, view: View, filter: Filter): readonly Field[]
  read(
    pages: AllPages,
    filter: Filter,
    page: { readonly cursor: string | null; readonly limit: number },
  ): Promise<{ readonly items: readonly Item[]; readonly nextCursor: string | null }>
  send(
    pages: AllPages,
    asked: { filter: Filter; operator: View['session']['operator']; reply: FastifyReply },
  ): Promise<FastifyReply>
  readonly columns: readonly ConsoleKey[]
  safeCells(pages: AllPages, view: View, item: Item): readonly JSX.Element[]
}

type Filter = Readonly<Record<string, string>>

export function listRoutes(app: App, pages: AllPages): void {
  listRoute(app, pages, USERS)
  listRoute(app, pages, PAYMENTS)
}

function listRoute<Item>(app: App, pages: AllPages, list: ListPage<Item>): void {
  const hidden = forOperators(pages)
  const path = `/console/${list.section}`
  const filterOf = (request: FastifyRequest) => filterIn(list.filter, (name) => queryOf(request, name) ?? '')

  app.get(path, hidden, async (request, reply) => {
    const view = viewOf(pages, request, reply)
    const filter = filterOf(request)
    const cursor = queryOf(request, 'cursor') ?? null
    const found = await foundOr(reply, async () => {
      checker(list.filter)(filter)
      return list.read(pages, filter, { cursor, limit: SHOWN })
    })
    return sendPage(pages, reply, listPage(pages, view, { list, filter, found, isFirst: cursor === null }))
  })

  app.get(
    `${path}.csv`,
    fromThisSite(pages, () => path),
    async (request, reply) => {
      const filter = filterOf(request)
      checker(list.filter)(filter)
      return list.send(pages, { filter, operator: pages.operatorsHere.of(request).operator, reply })
    },
  )
}

interface Found<Item> {
  readonly items: readonly Item[]
  readonly nextCursor: string | null
  readonly problems?: SentForm['problems']
}

/** Of a filter that makes no sense nothing is found, and it is asked for again. */
async function foundOr<Item>(reply: FastifyReply, read: () => Promise<Found<Item>>): Promise<Found<Item>> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof BillingError) || error.code !== 'validation_failed') throw error
    reply.code(422)
    return { items: [], nextCursor: null, problems: error.problems }
  }
}

interface Shown<Item> {
  readonly list: ListPage<Item>
  readonly filter: Filter
  readonly found: Found<Item>
  readonly isFirst: boolean
}

function listPage<Item>(pages: AllPages, view: View, shown: Shown<Item>): string {
  const { list, filter, found, isFirst } = shown
  const { say } = view
  const { section } = list
  const path = addressOf(pages.base, section)
  const next = found.nextCursor
  const rows = found.items.map((item) => ({ safeCells: list.safeCells(pages, view, item) }))
  return renderConsole(pages, {
    ...view,
    title: say(section),
    section,
    languagePath: withQuery(path, filter),
    safeContent: (
      <>
        <h1 safe>{say(section)}</h1>
        <Filters {...{ pages, view, shown }} />
        <section class="card" aria-label={say(section)}>
          <Table
            columns={list.columns.map((key) => say(key))}
            safeRows={rows}
            empty={say(next === null ? 'listEmpty' : 'listGoesOn')}
          />
          <Pager
            view={view}
            first={isFirst ? null : withQuery(path, filter)}
            next={next && withQuery(path, { ...filter, cursor: next })}
          >
            <Ways {...{ pages, view, shown }} />
          </Pager>
        </section>
      </>
    ),
  })
}

/** Where one may go with all that match: a file, and an act on each of them. */
function Ways<Item>({ pages, view, shown }: { pages: AllPages; view: View; shown: Shown<Item> }) {
  const { list, filter, found } = shown
  if (found.problems) return null
  const file = withQuery(`${addressOf(pages.base, list.section)}.csv`, filter)
  const onAll = Object.entries(filter).map(([name, value]): [string, string] => [`of.${name}`, value])
  const act = withQuery(addressOf(pages.base, 'bulk/start'), {
    on: list.section.slice(0, -1),
    ...Object.fromEntries(onAll),
  })
  const mayAct = pages.acts.some(
    ({ name, roles }) => name === 'bulk.start' && mayDo(view.session.operator, { name, roles }),
  )
  return (
    <>
      {mayAct ? <LinkButton href={act} label={view.say('bulkChoose')} /> : null}
      {mayDo(view.session.operator, list.permission) ? (
        <LinkButton href={file} label={view.say('asFile')} />
      ) : null}
    </>
  )
}

function Filters<Item>({ pages, view, shown }: { pages: AllPages; view: View; shown: Shown<Item> }) {
  const { list, filter, found } = shown
  const { say } = view
  const path = addressOf(pages.base, list.section)
  const sent = found.problems ? { typed: filter, problems: found.problems } : null
  const isFiltered = Object.keys(filter).length > 0
  return (
    <details class="card" open={isFiltered}>
      <summary safe>{say('filterTrail')}</summary>
      <form method="get" action={path} class="filter">
        {list.fields(pages, view, filter).map((field) => (
          <Input view={view} field={field} sent={sent} isRequired={false} />
        ))}
        <SubmitButton label={say('filterTrail')} />
        {isFiltered ? <LinkButton href={path} label={say('trailAll')} /> : null}
      </form>
    </details>
  )
}

type Choices = NonNullable<Field['choices']>

function timeFields(pages: AllPages, view: View, filter: Filter): readonly Field[] {
  const { say, locale } = view
  const plans: Choices = pages.catalogue.plans.map(({ id, name }) => [id, planName(name, locale)])
  const kinds: Choices = PAYMENT_KINDS.map((kind) => [kind, codeInWords(view, 'way', kind)])
  return [
    choice(view, filter, { name: 'plan', label: say('plan'), choices: plans }),
    choice(view, filter, { name: 'method', label: say('method'), choices: kinds }),
    ...days(view, filter, 'active'),
    ...days(view, filter, 'ends'),
  ]
}

function choice(view: View, filter: Filter, of: { name: string; label: string; choices: Choices }): Field {
  const value = filter[of.name] ?? ''
  return { ...of, type: 'text', value, choices: [['', view.say('any')], ...of.choices] }
}

/** From one day to another. An instant that the address names stands as it is. */
function days({ say }: View, filter: Filter, span: 'active' | 'ends' | 'paid'): readonly Field[] {
  return (['from', 'until'] as const).map((end) => {
    const value = filter[`${span}_${end}`] ?? ''
    const type = value.includes('T') ? ('text' as const) : ('date' as const)
    return { name: `${span}_${end}`, label: say(`${span}_${end}`), type, value }
  })
}

const USERS: ListPage<ListedUser> = {
  section: 'users',
  filter: UserFilterSchema,
  permission: USERS_EXPORT,
  fields: (pages, view, filter) => {
    const { say } = view
    const states: Choices = USER_STATES.map((state) => [state, say(`state_${state}`)])
    return [
      choice(view, filter, { name: 'state', label: say('userState'), choices: states }),
      ...timeFields(pages, view, filter),
      choice(view, filter, {
        name: 'balance',
        label: say('userBalance'),
        choices: [['open', say('balanceOpen')]],
      }),
    ]
  },
  read: pageOfUsers,
  send: sendUsers,
  columns: ['user', 'userId', 'userState', 'access'],
  safeCells: (pages, view, user) => [
    <UserCell {...{ pages, user }} />,
    <Text>{user.userId}</Text>,
    <Text>{view.say(`state_${user.state}`)}</Text>,
    <Text>{accessInWords(pages, view, user.now)}</Text>,
  ],
}

const PAYMENTS: ListPage<Payment> = {
  section: 'payments',
  filter: PaymentFilterSchema,
  permission: PAYMENTS_EXPORT,
  fields: (pages, view, filter) => {
    const { say } = view
    const statuses: Choices = PUBLIC_PAYMENT_STATUSES.map((status) => [status, say(`status_${status}`)])
    return [
      choice(view, filter, { name: 'status', label: say('status'), choices: statuses }),
      ...days(view, filter, 'paid'),
      ...timeFields(pages, view, filter),
      { name: 'user_id', label: say('userId'), type: 'text', value: filter.user_id ?? '' },
    ]
  },
  read: pageOfPayments,
  send: sendPayments,
  columns: ['payment', 'user', 'amount', 'status', 'method', 'when'],
  safeCells: (pages, view, payment) => [
    <a href={addressOf(pages.base, 'payments', payment.id)} safe>
      {payment.id}
    </a>,
    <UserCell {...{ pages, user: { userId: payment.userId } }} />,
    <NoWrap>{pages.formats.came(payment, view.locale)}</NoWrap>,
    <StatusBadge {...{ view, payment }} />,
    <Text>{codeInWords(view, 'way', kindOf(payment.method))}</Text>,
    <NoWrap>{pages.formats.moment(payment.paidAt ?? payment.createdAt, view.locale)}</NoWrap>,
  ],
}
