// The stories of the imaginary shop, one for each user.
import { DAY, HOUR, MINUTE } from 'ishtirak/internal'
import { createDraw, type Draw } from './draw.js'
import type { Person } from './people.js'
import {
  cardPurchase,
  daysBefore,
  joinsAt,
  later,
  purchase,
  type Story,
  type Way,
  YEAR,
} from './purchases.js'
import {
  accept,
  approve,
  ask,
  endAccess,
  grant,
  instrumentsOf,
  nowIn,
  offerFor,
  paidUntil,
  payByCard,
  paySecondPage,
  prove,
  redeemVoucher,
  refund,
  refuse,
  register,
  type Shop,
} from './shop.js'

type Tell = (shop: Shop, person: Person, draw: Draw) => Story

/**
 * The first users have each story once, so that a small shop has one of everything. For later users it is
 * drawn by these weights.
 */
const STORIES: readonly (readonly [weight: number, tell: Tell])[] = [
  [0, waitingReview],
  [0, waitingTransfer],
  [0, halfApproved],
  [0, shortTransfer],
  [0, openPage],
  [0.4, paidTwice],
  [1, refunded],
  [0.7, accepted],
  [0.8, refusedTransfer],
  [2, buysAhead],
  [3, voucherThenCard],
  [3, withDiscount],
  [2, granted],
  [0.3, fraud],
  [0, unprovedTransfer],
  [7, looker],
  [38, (shop, person, draw) => customer(shop, person, draw, { way: 'card', months: 1 })],
  [5, (shop, person, draw) => customer(shop, person, draw, { way: 'card', months: 12 })],
  [9, (shop, person, draw) => customer(shop, person, draw, { way: 'transfer', months: 1 })],
  [4, (shop, person, draw) => customer(shop, person, draw, { way: 'cash', months: 1 })],
  [2, (shop, person, draw) => customer(shop, person, draw, { way: 'cheque', months: 6 })],
  [10, (shop, person, draw) => customer(shop, person, draw, { way: 'card', months: 3 })],
  [5, (shop, person, draw) => customer(shop, person, draw, { way: 'transfer', months: 3 })],
  [4, (shop, person, draw) => customer(shop, person, draw, { way: 'card', months: 6 })],
  [4, (shop, person, draw) => customer(shop, person, draw, { way: 'transfer', months: 12 })],
]

/** The story of the user with this index. */
export function storyOf(shop: Shop, person: Person, index: number, seed: number): Story {
  const draw = createDraw(seed, `story ${index}`)
  const [, tell] = STORIES[index] ?? draw.weighted(STORIES)
  return tell(shop, person, draw)
}

async function* customer(
  shop: Shop,
  person: Person,
  draw: Draw,
  { way, months }: { readonly way: Way; readonly months: number },
): Story {
  yield joinsAt(shop, draw)
  await register(shop, person)
  yield later(shop, MINUTE, 2 * DAY, draw)
  const loyalty = draw.next()
  for (;;) {
    yield* purchase(shop, person, draw, way, months)
    const end = await paidUntil(shop, person)
    if (end === null || draw.next() > 0.75 + loyalty / 5) return
    // Most renew in the last days, some in grace, a few come back after weeks.
    const habit = draw.next()
    if (habit < 0.7) yield end - draw.between(2 * HOUR, 6 * DAY)
    else if (habit < 0.9) yield end + draw.between(HOUR, 2 * DAY)
    else yield end + draw.between(5 * DAY, 45 * DAY)
  }
}

/** Reads offers, perhaps opens a page, and never pays. */
async function* looker(shop: Shop, person: Person, draw: Draw): Story {
  yield joinsAt(shop, draw)
  await register(shop, person)
  if (draw.chance(0.5)) return
  yield later(shop, HOUR, 20 * DAY, draw)
  await ask(shop, person, { months: 1, offer: offerFor(shop, person, 1) })
}

async function* voucherThenCard(shop: Shop, person: Person, draw: Draw): Story {
  yield Math.max(joinsAt(shop, draw), shop.endAt - YEAR + 40 * DAY)
  await register(shop, person)
  const code = shop.vouchers.pop()
  if (code !== undefined) await redeemVoucher(shop, person, code)
  const end = await paidUntil(shop, person)
  if (end !== null && draw.chance(0.4)) return
  yield (end ?? nowIn(shop)) + draw.between(0, 2 * DAY)
  yield* cardPurchase(shop, person, draw, 1)
}

async function* withDiscount(shop: Shop, person: Person, draw: Draw): Story {
  yield Math.max(joinsAt(shop, draw), shop.endAt - YEAR + 40 * DAY)
  await register(shop, person)
  yield* cardPurchase(shop, person, draw, draw.pick([6, 12]), shop.discounts.pop())
}

async function* granted(shop: Shop, person: Person, draw: Draw): Story {
  yield joinsAt(shop, draw)
  await register(shop, person)
  const planId = offerFor(shop, person, 1).plan.id
  await grant(shop, person, { days: draw.pick([7, 14]), planId, why: 'a trial that was asked for' })
  yield later(shop, 5 * DAY, 14 * DAY, draw)
  yield* cardPurchase(shop, person, draw, 1)
  yield later(shop, DAY, 9 * DAY, draw)
  await grant(shop, person, { days: 3, planId, why: 'for the outage of that week' })
}

async function* refunded(shop: Shop, person: Person, draw: Draw): Story {
  yield Math.min(joinsAt(shop, draw), shop.endAt - 20 * DAY)
  await register(shop, person)
  const payment = yield* cardPurchase(shop, person, draw, draw.pick([1, 3]))
  yield later(shop, 12 * HOUR, 6 * DAY, draw)
  await refund(
    shop,
    payment,
    draw.pick(['paid by mistake', 'asked within the week', 'moved to another host']),
  )
}

/** The provider reports another amount than was asked for, and an operator accepts it. */
async function* accepted(shop: Shop, person: Person, draw: Draw): Story {
  yield Math.min(joinsAt(shop, draw), shop.endAt - 20 * DAY)
  yield* reviewed(shop, person, draw)
}

async function* reviewed(shop: Shop, person: Person, draw: Draw): Story {
  await register(shop, person)
  const payment = await ask(shop, person, { months: 1, offer: offerFor(shop, person, 1) })
  yield later(shop, MINUTE, 9 * MINUTE, draw)
  await payByCard(shop, payment, { card: 'cib', otherAmount: 1_500 })
  yield later(shop, 12 * HOUR, 2 * DAY, draw)
  await accept(shop, payment)
}

async function* refusedTransfer(shop: Shop, person: Person, draw: Draw): Story {
  yield Math.min(joinsAt(shop, draw), shop.endAt - 12 * DAY)
  await register(shop, person)
  const payment = await ask(shop, person, { months: 1, method: 'transfer', offer: offerFor(shop, person, 1) })
  yield later(shop, HOUR, DAY, draw)
  await prove(shop, person, payment)
  yield later(shop, DAY, 3 * DAY, draw)
  await refuse(shop, payment)
}

async function* paidTwice(shop: Shop, person: Person, draw: Draw): Story {
  yield Math.max(joinsAt(shop, draw), shop.endAt - 60 * DAY)
  await register(shop, person)
  const payment = yield* cardPurchase(shop, person, draw, 1)
  yield later(shop, 2 * MINUTE, 8 * MINUTE, draw)
  await paySecondPage(shop, person, payment)
}

/** Three terms within a month, stacked. */
async function* buysAhead(shop: Shop, person: Person, draw: Draw): Story {
  yield Math.min(joinsAt(shop, draw), shop.endAt - 40 * DAY)
  await register(shop, person)
  for (const months of [1, 3, 3]) {
    yield* cardPurchase(shop, person, draw, months)
    yield later(shop, DAY, 12 * DAY, draw)
  }
}

async function* fraud(shop: Shop, person: Person, draw: Draw): Story {
  yield Math.min(joinsAt(shop, draw), shop.endAt - 15 * DAY)
  await register(shop, person)
  yield* cardPurchase(shop, person, draw, 1)
  yield later(shop, DAY, 8 * DAY, draw)
  await endAccess(shop, person, 'The holder of the card did not buy this.')
}

// The following stories wait for an operator at the end of the year.

async function* shortTransfer(shop: Shop, person: Person, draw: Draw): Story {
  yield daysBefore(shop, 5, draw)
  await register(shop, person)
  const payment = await ask(shop, person, { months: 1, method: 'transfer', offer: offerFor(shop, person, 1) })
  yield daysBefore(shop, 4, draw)
  await prove(shop, person, payment)
  yield daysBefore(shop, 2, draw)
  await approve(shop, payment, { instrument: draw.pick(instrumentsOf(shop)), short: 200 })
}

async function* waitingReview(shop: Shop, person: Person, draw: Draw): Story {
  yield shop.endAt - 9 * HOUR
  yield* reviewed(shop, person, draw)
}

async function* waitingTransfer(shop: Shop, person: Person, draw: Draw): Story {
  yield daysBefore(shop, 2, draw)
  await register(shop, person)
  const payment = await ask(shop, person, { months: 3, method: 'transfer', offer: offerFor(shop, person, 3) })
  yield shop.endAt - 8 * HOUR
  await prove(shop, person, payment)
}

async function* unprovedTransfer(shop: Shop, person: Person): Story {
  yield shop.endAt - 30 * HOUR
  await register(shop, person)
  await ask(shop, person, { months: 1, method: 'transfer', offer: offerFor(shop, person, 1) })
}

/** The amount needs two operators, and one has seen the money. */
async function* halfApproved(shop: Shop, person: Person, draw: Draw): Story {
  yield daysBefore(shop, 4, draw)
  await register(shop, person)
  const offer = offerFor(shop, person, 12)
  const payment = await ask(shop, person, { months: 12, method: 'transfer', offer })
  yield daysBefore(shop, 3, draw)
  await prove(shop, person, payment)
  yield shop.endAt - 20 * HOUR
  await approve(shop, payment, { instrument: draw.pick(instrumentsOf(shop)), once: true })
}

async function* openPage(shop: Shop, person: Person): Story {
  yield shop.endAt - DAY
  await register(shop, person)
  yield shop.endAt - 5 * MINUTE
  await ask(shop, person, { months: 1, offer: offerFor(shop, person, 1) })
}
