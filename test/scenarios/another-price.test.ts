// The catalogue of docs/selling.md gets other prices: what was sold stays sold, and what is sold from then on
// is at the new ones.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { CODE_ENV, makeCodes, VOUCHER } from '../support/codes.js'
import { describeScenario } from '../support/databases.js'
import { OPERATOR_ENV, operatorOf } from '../support/operator.js'
import { SELLING_PLANS } from '../support/portal.js'
import { type Answer, createWorld } from '../support/world.js'

const BILLING = '/api/v1/billing'
const checkoutOf = ({ body }: Answer) => /checkouts\/(\w+)\/pay/.exec(body.checkout_url)?.[1] ?? ''

describeScenario('another price', ({ database }) => {
  it('is that of what is bought from then on, and of nothing that was', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'ishtirak-'))
    const dearer = path.join(folder, 'plans.json')
    const catalogue = (await readFile(SELLING_PLANS, 'utf8'))
      .replace('"price": 24000', '"price": 26000')
      .replace('"build_minutes": 2000,', '"build_minutes": 1500,')
    await writeFile(dearer, catalogue)
    const env = { ...OPERATOR_ENV, ...CODE_ENV, PLANS_FILE: SELLING_PLANS }
    const before = await createWorld(database(), { env })
    const year = { plan: 'pro', months: 12 }
    const bought = await before.as('user-1').post(`${BILLING}/payments`, year)
    await before.emulator.pay(checkoutOf(bought), 'paid')
    await before.emulator.settled()
    const open = await before.as('user-2').post(`${BILLING}/payments`, year)
    const { code } = await makeCodes(operatorOf(before), VOUCHER)
    // The other one goes on, as after a restart.
    const { clock, emulator } = before
    const after = await createWorld(database(), { env: { ...env, PLANS_FILE: dearer }, clock, emulator })

    const minutesOf = async (userId: string) =>
      (await after.as(userId).get(`${BILLING}/overview`)).body.limits.build_minutes
    const [payment] = (await after.as('user-1').get(`${BILLING}/payments`)).body.data
    expect([payment.amount, await minutesOf('user-1')]).toEqual([24_000, 2_000])
    // A checkout that is open buys what it was opened for; the service finds out by itself, since its webhook
    // is lost.
    emulator.setFaults({ drop: { times: 1 } })
    await emulator.pay(checkoutOf(open), 'paid')
    await after.advance(11)
    expect(await minutesOf('user-2')).toBe(2_000)
    await after.as('user-3').post(`${BILLING}/redeem`, { code })
    expect(await minutesOf('user-3')).toBe(2_000)

    const quote = await after.as('user-4').get(`${BILLING}/quote?plan=pro&months=12`)
    expect(quote.body.amount).toBe(26_000)
    const dear = await after.as('user-4').post(`${BILLING}/payments`, year)
    await emulator.pay(checkoutOf(dear), 'paid')
    await emulator.settled()
    expect(await minutesOf('user-4')).toBe(1_500)
    await after.stop()
    await before.stop()
    await rm(folder, { recursive: true })
  })
})
