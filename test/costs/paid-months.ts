// One month is bought over HTTP; the others are its booking with other ids and instants.
import { createHash } from 'node:crypto'
import { insertRequestedPayments } from '../../packages/ishtirak/src/checkout/upgrade.sql.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { statement } from '../../packages/ishtirak/src/database/database.js'
import { createIds } from '../../packages/ishtirak/src/runtime/random.js'
import { aPayment, days, NOON } from '../support/fixtures.js'
import { createWorld } from '../support/world.js'

// As a server does by itself: what an update leaves is taken by what comes later.
const vacuum = statement('test.costs.vacuum', 'vacuum (analyze)')

const SAVE = 'settlements.save'
const USER = 'user-of-the-first'
/** At once: the server reads them from one parameter. */
const TOGETHER = 250
const SECOND = 1_000

/** The booking of a month as the service sends it: the statement's text, and its change as JSON. */
async function hearBooking(database: Database): Promise<{ readonly text: string; readonly change: string }> {
  const heard: { text: string; change: string }[] = []
  const listening: Database = {
    ...database,
    query: (asked, parameters, ...more) => {
      if (asked.name === SAVE) heard.push({ text: asked.text, change: String(parameters?.[0]) })
      return database.query(asked, parameters, ...more)
    },
  }
  await using world = await createWorld(listening)
  await world.as(USER).buy()
  // The first save notes the checkout, the last books.
  const booking = heard.findLast(({ change }) => change.includes('"payment.paid"'))
  if (!booking) throw new Error('nothing was booked')
  return { ...booking, change: booking.change.slice(1, -1) }
}

const hashOf = (n: number) => createHash('sha256').update(String(n)).digest('hex')

/** `users` users who pay `months` months one after the other, and the tables vacuumed after each month. */
export async function payMonths(database: Database, users: number, months: number): Promise<void> {
  const { text, change } = await hearBooking(database)
  const save = statement('test.costs.save', text)
  const ids = createIds()
  const template = JSON.parse(change)
  // The same ones in each run: how an index splits its pages depends on them.
  const userIds = Array.from({ length: users }, (_, n) => `usr_${hashOf(n).slice(0, 20)}`)
  for (let month = 0; month < months; month++) {
    for (let first = 0; first < users; first += TOGETHER) {
      const some = userIds.slice(first, first + TOGETHER).toSorted()
      const purchases = some.map((userId, place) => {
        const at = NOON + days(30) * month + (first + place) * 7 * SECOND
        const [id, checkoutId, eventId] = ['pay', 'chk', 'evt'].map((prefix) => ids.next(prefix, at))
        return { userId, at, id: `${id}`, checkoutId: `${checkoutId}`.slice(4), eventId: `${eventId}` }
      })
      const requests = purchases.map(({ userId, at, id, checkoutId }) => ({
        user: { userId, email: `${userId}@host.example`, name: 'Amina Benali', locale: 'fr' as const },
        version: month === 0 ? null : 2 * month,
        payment: aPayment({
          ...{ userId, id, checkoutId, status: 'pending', createdAt: at, attemptEndsAt: at },
          expiresAt: at + 1_800 * SECOND,
          checkoutUrl: `https://pay.chargily.dz/test/checkouts/${checkoutId}/pay`,
          nextCheckAt: at + 60 * SECOND,
        }),
      }))
      const inserted = await insertRequestedPayments(database, requests)
      if (inserted.includes(false)) throw new Error('a payment was not written')
      const changes = purchases.map(({ userId, at, id, checkoutId, eventId }) => {
        const move = (instant: string) => new Date(Date.parse(instant) + at - NOON).toISOString()
        const moved = change
          .replaceAll(template.payment.id, id)
          .replaceAll(template.received.checkout_id, checkoutId)
          .replaceAll(template.received.id, eventId)
          .replaceAll(USER, userId)
          .replace(/evt_[0-9a-z]{26}/g, () => ids.next('evt', at))
          .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, move)
        return { ...JSON.parse(moved), version: 2 * month + 1 }
      })
      const rows = await database.query(save, [JSON.stringify(changes)])
      if (!rows.every(({ effective }) => effective === true)) throw new Error('a payment was not booked')
    }
    await database.query(vacuum)
  }
}
