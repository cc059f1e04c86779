// Whatever comes after a month was closed, in any order: its figures, its journal and its file stay as they
// were, and each receipt stands in one month.
import { describeOnEach } from '../../../../test/support/databases.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { SeededRandom } from '../../../../test/support/random.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { checkoutIdOf, createWorld } from '../../../../test/support/world.js'
import { bookDueRenewals } from '../balance/order.js'

const DAY_MS = 86_400_000
const SEED = 1
const STEPS = 45
/** All months are read again after so many steps. */
const EVERY = 15

describeOnEach('closed months', ({ database }) => {
  it('stay as they were through whatever comes', async () => {
    const env = { BALANCE_MAX: '50000' }
    await using world = await createWorld(database(), { env, withoutJobs: true })
    const owner = operatorOf(world, ROLE_KEYS.owner)
    const random = new SeededRandom(SEED)
    const unheard: string[] = []
    const paid: string[] = []
    const kept = new Map<string, object>()
    let slips = 0

    const monthOf = (name: string) => owner.get(`/months/${name}`).then(({ body }) => body)
    const linesOf = async (name: string): Promise<readonly Record<string, string>[]> => {
      const { text } = await owner.get(`/exports/accounts?month=${name}`)
      const [head = [], ...rows] = text
        .trim()
        .split('\r\n')
        .map((line) => line.split(','))
      return rows.map((row) => Object.fromEntries(head.map((column, place) => [column, row[place] ?? ''])))
    }
    const receiptsOf = async (name: string): Promise<readonly string[]> => {
      const { body } = await owner.get(`/months/${name}/sales?side=sales&limit=100`)
      return body.data.map(({ number }: { number: string }) => number)
    }
    /** All that must stay. The status of a payment is that of the payment, not of the month. */
    const frozen = async (name: string) => {
      const { users: _, closed: closing, ...figures } = await monthOf(name)
      const lines = (await linesOf(name)).map(({ status: _, refunded_on: __, ...line }) => line)
      const declaration = (await owner.get(`/months/${name}/declaration`)).body
      const sales = (await owner.get(`/months/${name}/sales?limit=100`)).body.data
      return { figures, closing, lines, receipts: await receiptsOf(name), sales, declaration }
    }
    const now = () => new Date(world.clock.now()).toISOString().slice(0, 7)
    const before = (name: string, by = 1) => {
      const at = new Date(`${name}-01T00:00:00Z`)
      at.setUTCMonth(at.getUTCMonth() - by)
      return at.toISOString().slice(0, 7)
    }
    const user = () => `user-${random.between(1, 6)}`
    const buy = async (into: string[]) => {
      const wanted = { plan: 'pro', method: 'chargily' }
      const { status, body } = await world.as(user()).post('/api/v1/billing/payments', wanted)
      if (status !== 201) return
      if (into === unheard) world.emulator.setFaults({ drop: { times: 1 } })
      await world.emulator.pay(checkoutIdOf(body.checkout_url), 'paid')
      await world.emulator.settled()
      into.push(body.id)
    }
    const steps: readonly (() => Promise<unknown>)[] = [
      () => buy(paid),
      () => buy(unheard),
      async () => {
        const [id] = unheard.splice(0, 1)
        if (id !== undefined) paid.push((await owner.post(`/payments/${id}/recheck`, {})).body.payment.id)
      },
      async () => {
        const [id] = paid.splice(random.between(0, paid.length), 1)
        const to = random.boolean(0.3) ? { to: 'balance' } : {}
        if (id !== undefined) await owner.post(`/payments/${id}/refund`, { ...to, why: 'asked for' })
      },
      async () => {
        slips += 1
        const sale = random.boolean(0.5)
          ? { plan: 'pro', method: 'cash', amount: 2020 }
          : { top_up: 3000, method: 'cheque', amount: 3000 }
        const asked = { ...sale, reference: `${slips}`, new_user: true, why: 'at the desk' }
        const { body } = await owner.post(`/users/${user()}/record`, asked)
        if (body.payment) paid.push(body.payment.id)
      },
      () => owner.post(`/users/${user()}/correct`, { amount: 100, why: 'a gift' }),
      () => owner.post(`/users/${user()}/pay-out`, { amount: 50, why: 'asked for' }),
      () => world.as(user()).post('/api/v1/billing/payments', { plan: 'pro', method: 'balance' }),
      () => owner.post(`/users/${user()}/grant`, { days: random.between(1, 40), why: 'an outage' }),
      () => owner.post(`/users/${user()}/end`, { why: 'fraud' }),
    ]
    for (let step = 0; step < STEPS; step += 1) {
      await random.pick(steps)()
      world.clock.advance(random.between(0, 4 * DAY_MS))
      await bookDueRenewals(world.service.parts, 100)
      if (random.boolean(0.15)) {
        const last = [...kept.keys()].at(-1)
        const next = last === undefined ? '2026-11' : before(last, -1)
        const { status } = await owner.post(`/months/${next}/close`, {})
        expect([next, status]).toEqual([next, next < now() ? 200 : 409])
        if (status === 200) kept.set(next, await frozen(next))
      } else if (random.boolean(0.03) && kept.size > 0) {
        const [last = ''] = [...kept.keys()].slice(-1)
        expect((await owner.post(`/months/${last}/reopen`, { why: 'forgotten' })).status).toBe(200)
        kept.delete(last)
      }
      if (step % EVERY !== EVERY - 1) continue
      for (const [name, was] of kept) expect([step, await frozen(name)]).toEqual([step, was])
    }
    expect(kept.size).toBeGreaterThan(1)

    const names = []
    for (let name = '2026-11'; name <= now(); name = before(name, -1)) names.push(name)
    const receipts = (await Promise.all(names.map(receiptsOf))).flat()
    expect(new Set(receipts).size).toBe(receipts.length)
    const bought = (await Promise.all(names.map(linesOf)))
      .flat()
      .filter(({ kind = '' }) => ['payment', 'after_closing'].includes(kind))
    expect(new Set(bought.map(({ payment_id }) => payment_id)).size).toBe(bought.length)
  })
})
