// A provider that fails costs a user nothing but the attempt: no place of the ten, and not more than five
// calls a minute.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeScenario } from '../support/databases.js'
import { createWorld, type World } from '../support/world.js'

const UPGRADE = '/api/v1/billing/upgrade'
const WRONG_KEY = 'test_sk_wrong0000000000000000000000000000000'

describeScenario('a provider that fails', ({ database }) => {
  let world: World
  beforeEach(async () => {
    world = await createWorld(database())
  })
  afterEach(() => world.stop())

  it('and refuses ten attempts leaves all ten checkouts of the hour', async () => {
    const { clock, emulator } = world
    const env = { CHARGILY_SECRET_KEY: WRONG_KEY }
    await using broken = await createWorld(database(), { clock, emulator, env })
    for (let attempt = 0; attempt < 10; attempt++) {
      expect((await broken.as('user-1').post(UPGRADE, { plan: 'pro' })).body.code).toBe('provider_rejected')
      if (attempt % 5 === 4) clock.advance(60_000)
    }
    const user = world.as('user-1')
    for (let made = 0; made < 10; made++) {
      const { checkoutId } = await user.upgrade()
      await emulator.pay(checkoutId, 'canceled')
      await emulator.settled()
    }
    expect((await user.post(UPGRADE, { plan: 'pro' })).body.code).toBe('too_many_checkouts')
  })

  it('is asked five times a minute for one user, who then hears when to come back', async () => {
    const user = world.as('user-1')
    // Each of the five attempts ends with its first call; a sixth would succeed.
    world.emulator.setFaults({ api_5xx: { times: 5 } })
    for (let attempt = 0; attempt < 5; attempt++) {
      expect((await user.post(UPGRADE, { plan: 'pro' })).headers.get('retry-after')).toBe('5')
    }
    const bounded = await user.post(UPGRADE, { plan: 'pro' })
    expect([bounded.status, bounded.body.code]).toEqual([503, 'provider_unavailable'])
    expect(bounded.headers.get('retry-after')).toBe('60')
    expect(world.emulator.checkouts()).toEqual([])
    await world.as('user-2').upgrade()
    world.clock.advance(60_000)
    await user.upgrade()
  })
})
