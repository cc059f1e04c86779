// How users of the imaginary shop buy: at the provider's page, by transfer, at the desk. A story is a
// generator that yields the instant of its next step and does the step when it is resumed. year.ts resumes
// all stories in order of time.
import { DAY, HOUR, type Instant, MINUTE } from 'ishtirak/internal'
import type { Draw } from './draw.js'
import type { Person } from './people.js'
import {
  approve,
  ask,
  instrumentsOf,
  nowIn,
  offerFor,
  payAtDesk,
  payByCard,
  prove,
  type Shop,
} from './shop.js'

export type Story = AsyncGenerator<Instant, void>

/** How a user usually pays. */
export type Way = 'card' | 'transfer' | 'cash' | 'cheque'

export const YEAR = 365 * DAY

/** Some users are there from the beginning. Later months bring more than earlier ones, as the shop grows. */
export function joinsAt({ endAt }: Shop, draw: Draw): Instant {
  const share = draw.chance(0.25) ? draw.next() / 12 : draw.next() ** 0.6
  return endAt - YEAR + Math.floor((YEAR - 3 * DAY) * share)
}

export const later = (shop: Shop, least: number, most: number, draw: Draw) =>
  nowIn(shop) + draw.between(least, most)

/** Some days before the end of the year, at some hour. */
export const daysBefore = ({ endAt }: Shop, days: number, draw: Draw) =>
  endAt - days * DAY + draw.between(0, 6 * HOUR)

export async function* purchase(shop: Shop, person: Person, draw: Draw, way: Way, months: number): Story {
  if (way === 'card') yield* cardPurchase(shop, person, draw, months)
  else if (way === 'transfer') yield* transferPurchase(shop, person, draw, months)
  else {
    const reference = `${way === 'cash' ? 'CA' : 'CH'}-${person.userId.slice(-4)}-${nowIn(shop)}`
    const offer = offerFor(shop, person, months)
    await payAtDesk(shop, person, { offer, method: way, reference })
  }
}

/** Sometimes the card is refused or the page is left, and tried again. Returns the payment that was paid. */
export async function* cardPurchase(
  shop: Shop,
  person: Person,
  draw: Draw,
  months: number,
  code?: string,
): AsyncGenerator<Instant, string> {
  const card = draw.chance(0.7) ? 'edahabia' : 'cib'
  const wanted = { months, offer: offerFor(shop, person, months), ...(code !== undefined && { code }) }
  for (;;) {
    const payment = await ask(shop, person, wanted)
    yield later(shop, MINUTE, 9 * MINUTE, draw)
    const luck = draw.next()
    if (luck < 0.05) {
      // The user leaves the page, which ends after half an hour.
      yield later(shop, HOUR, DAY, draw)
      continue
    }
    if (luck < 0.14) {
      await payByCard(shop, payment, { card, outcome: luck < 0.12 ? 'failed' : 'canceled' })
      yield later(shop, 2 * MINUTE, 5 * HOUR, draw)
      continue
    }
    const isLost = luck > 0.98
    await payByCard(shop, payment, { card, isLost })
    // The next lookup finds what no event reported.
    if (isLost) yield nowIn(shop) + DAY + HOUR
    return payment
  }
}

async function* transferPurchase(shop: Shop, person: Person, draw: Draw, months: number): Story {
  const payment = await ask(shop, person, {
    months,
    method: 'transfer',
    offer: offerFor(shop, person, months),
  })
  yield later(shop, HOUR, 2 * DAY, draw)
  if (draw.chance(0.08)) {
    // The transfer is never sent: its time ends, and another is ordered.
    yield later(shop, 8 * DAY, 12 * DAY, draw)
    return yield* transferPurchase(shop, person, draw, months)
  }
  if (draw.chance(0.85)) await prove(shop, person, payment)
  yield later(shop, 4 * HOUR, 2 * DAY, draw)
  await approve(shop, payment, { instrument: draw.pick(instrumentsOf(shop)) })
}
