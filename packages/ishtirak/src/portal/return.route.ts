// Where the provider sends the payer back to, with whatever outcome. What the redirect claims is not even read: the page
// says what is stored, after one bounded look at the provider where nothing is settled yet.
import { publicStatusAt } from '../core/payment.js'
import type { App } from '../http/app.js'
import { readReturnedPayment } from '../payments/history.js'
import { findUserLocale } from '../payments/profile.sql.js'
import type { Pages } from './pages.js'
import { queryOf } from './reader.js'
import { returnPage } from './return-page.js'

/** Looks that a page takes by itself: 4 at 3 s just after paying, then every 10 s, three minutes in all. */
const LOOKS_MAX = 20
const QUICK_LOOKS = 4

export function returnRoutes(app: App, pages: Pages): void {
  app.get<{ Params: { payment_id: string } }>(
    '/billing/return/:payment_id',
    { schema: { hide: true } },
    async (request, reply) => {
      const { reader, database } = pages
      pages.limitAnonymous(request, reply)
      const returned = await readReturnedPayment(pages, request.params.payment_id, request.id)
      const { payment, now } = returned
      const session = await reader.session(request)
      const own = session?.userId === payment.userId ? session : null
      // The language of the payer's profile; nothing else of the payer reaches the page.
      const locale = reader.language(request, reply, own, await findUserLocale(database, payment.userId))
      const look = readLook(queryOf(request, 'look'))
      const isWaiting = publicStatusAt(payment, now) === 'pending' && look < LOOKS_MAX
      if (isWaiting) reply.header('refresh', refresh(look))
      return reply
        .headers(pages.headers)
        .send(returnPage(pages, { ...returned, session: own, locale, isWaiting }))
    },
  )
}

/** As a header field: browsers obey it without JavaScript, and it leaves the page's own markup alone. */
function refresh(look: number): string {
  return `${look < QUICK_LOOKS ? 3 : 10}; url=?look=${look + 1}`
}

function readLook(text = ''): number {
  return /^\d{1,3}$/.test(text) ? Number(text) : 0
}
