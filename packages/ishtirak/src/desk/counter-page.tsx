// The counter: the operator finds or makes a customer and chooses what they pay for; after the act the
// receipt opens. This page leads to the act, which decides what is taken and whether it is allowed.
import { titleOf } from '../acts/act-links.js'
import { accessInWords } from '../acts/changes.js'
import { readPhone } from '../acts/phone.js'
import { plainName } from '../core/name.js'
import { mayDo } from '../core/role.js'
import { NEVER_PAID, statusAt } from '../core/subscription.js'
import { ReceiptLinks } from '../documents/read-receipt.js'
import type { App } from '../http/app.js'
import { actsOnUser } from '../ledger/user-acts.sql.js'
import { findUser } from '../ledger/users.sql.js'
import type { AllPages } from '../overview/all-pages.js'
import { type Found, search } from '../overview/search.js'
import { NoticeOf, noticeIn, type TrailEntry, type TrailNotice } from '../overview/trail.js'
import { addressOf, consolePage, SEARCHED_MAX, type View } from '../pages/console-frame.js'
import { Facts, Table } from '../pages/console-parts.js'
import { consoleRoute } from '../pages/console-view.js'
import { type Field, Input, type Typed } from '../pages/field.js'
import { Card, LinkButton, SubmitButton } from '../pages/parts.js'
import { queryOf } from '../pages/reader.js'
import type { RecordDeps } from './desk-sale.js'
import { deskFields, recordPayment } from './record-payment.js'

type CounterPages = AllPages & RecordDeps

/** The newest acts on the user, to find the one that was just done. */
const ACTS_READ = 10

export function counterRoutes(app: App, pages: CounterPages): void {
  consoleRoute(app, pages, '/console/counter', async ({ view, request }) => {
    const typed = (queryOf(request, 'q') ?? '').trim().slice(0, SEARCHED_MAX)
    const users = typed === '' ? [] : (await search(pages, typed)).users
    const exact = users.filter((user) => user.exact)
    const [hit, ...further] = exact.length > 0 ? exact : users
    const safeBelow =
      typed === '' ? null : hit === undefined ? (
        await newCustomer(pages, view, typed)
      ) : further.length === 0 ? (
        await customer(pages, view, hit.userId)
      ) : (
        <Hits {...{ pages, view, users }} />
      )
    return counterPage(pages, view, { typed, safeAbove: null, safeBelow })
  })

  consoleRoute(app, pages, '/console/counter/:user_id', async ({ view, request, params }) => {
    const { user_id: userId } = params
    const safeAbove = await said(pages, view, userId, noticeIn(request))
    const safeBelow = await customer(pages, view, userId)
    return counterPage(pages, view, { typed: '', safeAbove, safeBelow })
  })
}

function counterPage(
  pages: CounterPages,
  view: View,
  of: {
    readonly typed: string
    readonly safeAbove: JSX.Element | null
    readonly safeBelow: JSX.Element | null
  },
): string {
  const { say } = view
  const path = addressOf(pages.base, 'counter')
  return consolePage(
    {
      pages,
      view,
      title: say('counter'),
      section: 'counter',
      languagePath: of.typed === '' ? '' : `${path}?${new URLSearchParams({ q: of.typed })}`,
    },
    <>
      {of.safeAbove}
      <section class="card">
        <form method="get" action={path}>
          <label for="field-q">
            <span safe>{say('counterFind')}</span>
            <input
              id="field-q"
              type="text"
              name="q"
              value={of.typed}
              maxlength={SEARCHED_MAX}
              required
              autofocus={of.safeBelow === null}
              dir="auto"
            />
          </label>
          <p class="actions">
            <SubmitButton label={say('searchButton')} />
            <LinkButton
              href={addressOf(pages.base, 'drawer', pages.wallClock.dayAt(pages.clock.now()))}
              label={say('drawer')}
            />
          </p>
        </form>
      </section>
      {of.safeBelow}
    </>,
  )
}

/** The act that was just done, and its receipt. */
async function said(pages: CounterPages, view: View, userId: string, notice: TrailNotice) {
  const acts = await actsOnUser(pages.database, userId, ACTS_READ)
  const paymentId = acts.find(({ id }) => id === notice.done)?.payment_id ?? null
  const isTaken = ({ id, after }: TrailEntry) =>
    id === notice.refused && Object(after).payment_id !== undefined
  return (
    <>
      <NoticeOf
        {...{ view, acts, notice }}
        state={(act) => (isTaken(act) ? view.say('deskReferenceTaken') : null)}
      />
      {paymentId === null ? null : (
        <p class="actions">
          <ReceiptLinks {...{ pages, view, paymentId }} />
          <LinkButton href={addressOf(pages.base, 'payments', paymentId)} label={view.say('payment')} />
        </p>
      )}
    </>
  )
}

function Hits({ pages, view, users }: { pages: CounterPages; view: View; users: Found['users'] }) {
  const { say } = view
  return (
    <Card id="users" title={say('users')}>
      <Table
        {...{ pages, view }}
        rows={users}
        columns={[
          {
            head: 'user',
            link: ({ userId, name, email }) => ({
              href: addressOf(pages.base, 'counter', userId),
              text: plainName(name ?? email ?? userId),
            }),
          },
          { head: 'email', text: ({ userId, email }) => plainName(email ?? userId) },
          { head: 'access', text: ({ subscription }) => accessInWords(pages, view, subscription) },
        ]}
      />
    </Card>
  )
}

/** Null: the user is unknown. */
async function customer(pages: CounterPages, view: View, userId: string): Promise<JSX.Element | null> {
  const user = await findUser(pages.database, userId)
  if (!user) return null
  const { say, locale } = view
  const subscription = statusAt(user.subscription ?? NEVER_PAID, pages.clock.now(), pages.rules)
  const facts = [
    [say('access'), accessInWords(pages, view, subscription)],
    [say('userId'), { href: addressOf(pages.base, 'users', userId), text: plainName(userId) }],
    [say('email'), user.email && plainName(user.email)],
    [say('phone'), user.phone],
  ] as const
  const safeForm = await formOf(pages, view, userId)
  return (
    <section class="card" lang={locale}>
      <h2>
        <bdi safe>{plainName(user.name ?? user.email ?? userId)}</bdi>
      </h2>
      <Facts facts={facts} />
      {safeForm}
    </section>
  )
}

/** The typed text matched no user: the page makes an id, and the act makes the user with the payment. */
async function newCustomer(pages: CounterPages, view: View, typed: string): Promise<JSX.Element> {
  const { say } = view
  const phone = readPhone(typed)
  const userId = pages.ids.next('walk-in', pages.clock.now())
  const safeForm = await formOf(pages, view, userId, phone === null ? { name: typed } : { phone })
  if (safeForm === null) return <p safe>{say('nothingFound')}</p>
  return (
    <section class="card">
      <h2 safe>{say('counterNew')}</h2>
      <p safe>{say('counterNewText')}</p>
      {safeForm}
    </section>
  )
}

/** The form that leads to the act, with the values that are `known`. Null: this operator may not do it. */
async function formOf(pages: CounterPages, view: View, userId: string, known: Typed = {}) {
  if (!mayDo(view.session.operator, recordPayment)) return null
  const fields: readonly Field[] = await deskFields(pages, view, userId)
  return (
    <form
      method="get"
      action={`${addressOf(pages.base, 'users', userId)}/record`}
      aria-label={titleOf(recordPayment, view)}
    >
      {fields.map((field) => (
        <Input
          {...{ view, sent: null }}
          field={{ ...field, value: known[field.name] ?? field.value }}
          isRequired={!field.isOptional}
        />
      ))}
      <p class="actions">
        <SubmitButton label={view.say('showChange')} />
      </p>
    </form>
  )
}
