// A year of the imaginary shop: the stories of its users and of its office in order of time, with the jobs of
// each day.
import {
  announceTime,
  BillingError,
  beginDelivery,
  callBy,
  checkDuePayments,
  continueReconciliation,
  createCodes,
  DAY,
  deliverEvents,
  doAct,
  drainDeliveries,
  HOUR,
  type Instant,
  MINUTE,
  type MovableClock,
  ROUND_MS,
  revokeCodes,
  scopeField,
  sendDueMail,
  startReconciliation,
  toTimestamp,
} from 'ishtirak/internal'
import { createDraw } from './draw.js'
import { demoUserId, drawPerson } from './people.js'
import { type Story, YEAR } from './purchases.js'
import { ask, by, nowIn, offerFor, payByCard, payForeignPage, register, type Shop } from './shop.js'
import { storyOf } from './stories.js'

/** Runs all stories to the end of the year. Yields a line for each month. */
export async function* tellYear(
  shop: Shop,
  clock: MovableClock,
  of: { readonly users: number; readonly seed: number },
): AsyncGenerator<string> {
  const { users, seed } = of
  const people = Array.from({ length: users }, (_, index) => drawPerson(seed, index))
  // This user shows that a demo was begun, so it is made first.
  for (const first of people.slice(0, 1)) await register(shop, first)
  const stories: Story[] = [
    jobs(shop),
    office(shop),
    comparison(shop, seed),
    usage(shop, of),
    ...people.map((person, index) => storyOf(shop, person, index, seed)),
  ]
  const agenda = new Agenda()
  for (const story of stories) await goOn(shop, agenda, story)
  let month = ''
  for (let next = agenda.next(); next; next = agenda.next()) {
    clock.advance(Math.max(0, next.at - clock.now()))
    const now = toTimestamp(clock.now()).slice(0, 7)
    if (now !== month) yield now
    month = now
    await goOn(shop, agenda, next.story)
  }
  clock.advance(shop.endAt - clock.now())
}

/** A story ends if the sandbox's own catalogue, seller or limits refuse its next step. */
async function goOn({ endAt }: Shop, agenda: Agenda, story: Story): Promise<void> {
  try {
    const { value: at, done } = await story.next()
    if (!done && at <= endAt) agenda.add({ at, story })
  } catch (error) {
    if (!(error instanceof BillingError)) throw error
  }
}

interface Due {
  readonly at: Instant
  readonly story: Story
}

/** The story that is due first comes first; of one instant, the one that was added first. */
class Agenda {
  readonly #due: Due[] = []

  add(due: Due): void {
    const behind = this.#due.findIndex(({ at }) => at <= due.at)
    this.#due.splice(behind < 0 ? this.#due.length : behind, 0, due)
  }

  /** The list is sorted with the latest first. */
  next(): Due | undefined {
    return this.#due.pop()
  }
}

/** The jobs that announce, look payments up and deliver, once a day. */
async function* jobs(shop: Shop): Story {
  const { parts, endAt } = shop
  const opensAt = endAt - 30 * DAY
  for (let at = endAt - YEAR; at < endAt; at += DAY) {
    yield at
    await checkDuePayments(parts, EVERY)
    await announceTime(parts, EVERY)
    // Mail is sent from the first day on; the platform receives events since a month ago.
    await sendDueMail(parts, EVERY)
    if (at >= opensAt && at < opensAt + DAY) await beginDelivery(parts)
    if (at >= opensAt) await deliver(shop)
  }
  yield endAt
  await announceTime(parts, EVERY)
  await sendDueMail(parts, EVERY)
  await deliver(shop)
}

/** More than are due in a day. */
const EVERY = 5_000

async function deliver({ parts }: Shop): Promise<void> {
  while ((await deliverEvents(parts)) > 0) await drainDeliveries(parts)
}

/** Vouchers for a fair, a fifth off long terms, and a batch that was printed wrongly. */
async function* office(shop: Shop): Story {
  const { parts, endAt } = shop
  yield endAt - YEAR + 30 * DAY
  const [plan] = parts.catalogue.plans.filter(({ price }) => price > 0)
  const batch = {
    ...{ planId: null, months: null, percent: null, amount: null, from: null, until: endAt + 180 * DAY },
    ...{ uses: 1, usesPerUser: 1 },
  }
  const month = { ...batch, kind: 'months', planId: plan?.id ?? null, months: 1, count: 60 } as const
  const vouchers = await createCodes(parts, month, by('owner', 'fair of Oran'))
  shop.vouchers.push(...vouchers.codes)
  yield nowIn(shop) + DAY
  const fifth = { ...batch, kind: 'percent', percent: 20, count: 60 } as const
  const discounts = await createCodes(parts, fifth, by('owner', 'a fifth off for the new year'))
  shop.discounts.push(...discounts.codes)
  yield nowIn(shop) + DAY
  const off = { ...batch, kind: 'amount', amount: 500, count: 20 } as const
  const misprinted = await createCodes(parts, off, by('owner', 'flyers'))
  yield nowIn(shop) + HOUR
  const { operator } = by('owner', 'misprinted')
  await doAct(parts, revokeCodes, callBy(operator, misprinted.batch_id, { why: 'misprinted' }))
}

/**
 * A reconciliation within the last day: two payments are not ours, and one had no event. The sandbox's next
 * reconciliation finds the two as well, so they stay in the inbox.
 */
async function* comparison(shop: Shop, seed: number): Story {
  const { parts, endAt } = shop
  const person = { ...drawPerson(seed, 0), userId: 'of-another-shop' }
  const { plan, months, price } = offerFor(shop, person, 1)
  const foreign = { ...person, planId: plan.id, months, price, isLost: true }
  for (const hours of [60, 40]) {
    yield endAt - hours * HOUR
    await payForeignPage(shop, { ...foreign, paymentId: `pay_of_another_shop_${hours}` })
  }
  const customer = drawPerson(seed, LOST)
  yield endAt - 21 * HOUR
  await register(shop, customer)
  const payment = await ask(shop, customer, { months: 1, offer: offerFor(shop, customer, 1) })
  yield nowIn(shop) + 5 * MINUTE
  await payByCard(shop, payment, { card: 'cib', isLost: true })
  yield nowIn(shop) + MINUTE
  const request = { sinceAt: endAt - 30 * DAY, booksUnknown: false }
  const who = by('owner', 'before the closing')
  let { reconciliation } = await startReconciliation(parts, request, who)
  while (reconciliation.finished_at === null) {
    yield nowIn(shop) + ROUND_MS
    reconciliation = (await continueReconciliation(parts, reconciliation.id)).reconciliation
  }
}

/** A number above those of all other users. */
const LOST = 9_999

/** Today's usage: every third user has some. Some are at their limits, or above them after the end. */
async function* usage(shop: Shop, { users, seed }: { readonly users: number; readonly seed: number }): Story {
  yield shop.endAt - 20 * MINUTE
  const { parts, billing } = shop
  const most = parts.catalogue.plans.at(-1)
  for (let index = 0; index < users; index += 3) {
    const draw = createDraw(seed, `usage ${index}`)
    for (const limit of parts.catalogue.limits) {
      const scope = scopeField(limit)
      const userId = demoUserId(index)
      const within = scope === null ? {} : { [scope]: 'site-1' }
      const amount = Math.max(
        1,
        Math.floor((most?.limits[limit.name] ?? 1) * draw.pick([0.1, 0.2, 0.5, 0.9, 1])),
      )
      if (limit.window === null) await billing.reportUsage(userId, limit.name, { used: amount, ...within })
      else await billing.consume(userId, limit.name, { amount, operation_id: 'demo', ...within })
    }
  }
}
