// The page of the search. If there is one exact hit, or one hit in all, it is opened at once. Otherwise the
// hits are listed. If there is none, the page says what can be searched.

import { accessInWords } from '../acts/changes.js'
import { plainName } from '../core/name.js'
import type { App } from '../http/app.js'
import { addressOf, consolePage, SEARCHED_MAX, type View, withQuery } from '../pages/console-frame.js'
import { Table, Under, UserCell } from '../pages/console-parts.js'
import { consoleRoute } from '../pages/console-view.js'
import { Card } from '../pages/parts.js'
import { queryOf } from '../pages/reader.js'
import type { AllPages } from './all-pages.js'
import { namedPayments, paymentsPage } from './payment-list.js'
import { type Found, search } from './search.js'

const NOTHING: Found = { users: [], payments: [] }

export function searchRoute(app: App, pages: AllPages): void {
  consoleRoute(app, pages, '/console/search', async ({ view, request, reply }) => {
    const searched = queryOf(request, 'q')?.trim() ?? ''
    const isAsked = searched !== '' && searched.length <= SEARCHED_MAX
    const found = isAsked ? await search(pages, searched) : NOTHING
    const [hit, ...further] = leadingIn(pages, found)
    if (hit !== undefined && further.length === 0) return reply.headers(pages.headers).redirect(hit, 303)
    const payments = await namedPayments(
      pages,
      found.payments.map(({ payment }) => payment),
    )
    const languagePath = withQuery(`${pages.base}/console/search`, { q: searched })
    return consolePage(
      { pages, view, title: view.say('search'), languagePath, searched },
      <>
        {hit === undefined ? <NoHit say={view.say} isAsked={searched !== ''} /> : null}
        <Users {...{ pages, view, found }} />
        {payments.length === 0 ? null : (
          <Card id="payments" title={view.say('payments')}>
            <Table {...{ pages, view }} rows={payments} columns={paymentsPage.columns} />
          </Card>
        )}
      </>,
    )
  })
}

/** The pages of the exact hits, or of all hits if none is exact. */
function leadingIn({ base }: AllPages, { users, payments }: Found): readonly string[] {
  const hits = [
    ...users.map(({ exact, userId }) => ({ exact, page: addressOf(base, 'users', userId) })),
    ...payments.map(({ exact, payment }) => ({ exact, page: addressOf(base, 'payments', payment.id) })),
  ]
  const exact = hits.filter((hit) => hit.exact)
  return (exact.length > 0 ? exact : hits).map(({ page }) => page)
}

const SEARCHED = [
  'searchUser',
  'searchName',
  'searchCompany',
  'searchPayment',
  'searchReceipt',
  'searchAmount',
] as const

function NoHit({ say, isAsked }: { say: View['say']; isAsked: boolean }) {
  return (
    <Card id="searched" title={say(isAsked ? 'nothingFound' : 'whatIsSearched')}>
      {isAsked ? <p safe>{say('whatIsSearched')}</p> : null}
      <ul class="dots">
        {SEARCHED.map((key) => (
          <li safe>{say(key)}</li>
        ))}
      </ul>
    </Card>
  )
}

function Users({ pages, view, found }: { pages: AllPages; view: View; found: Found }) {
  const { say } = view
  if (found.users.length === 0) return null
  return (
    <Card id="users" title={say('users')}>
      <Table
        {...{ pages, view }}
        rows={found.users}
        columns={[
          {
            head: 'user',
            safe: (user) => (
              <>
                <UserCell {...{ pages, user }} />
                {/* As on their invoices: what a company was searched by. */}
                <Under>{user.buyer?.name ? plainName(user.buyer.name) : null}</Under>
              </>
            ),
          },
          { head: 'userId', text: ({ userId }) => plainName(userId) },
          { head: 'access', text: ({ subscription }) => accessInWords(pages, view, subscription) },
        ]}
      />
    </Card>
  )
}
