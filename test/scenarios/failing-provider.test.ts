// A provider that fails costs a user nothing but the attempt: no place of the ten, and not more than five
// calls a minute.
import { describeScenario } from '../support/databases.js'
import { createWorld } from '../support/world.js'

const UPGRADE = '/api/v1/billing/upgrade'

describeScenario('a provider that fails', ({ database }) => {
  it('is asked five times a minute for one user, and leaves them all ten checkouts of the hour', async () => {
    await using world = await createWorld(database())
    const { clock, emulator } = world
    const user = world.as('user-1')
    const click = () => user.post(UPGRADE, { plan: 'pro' })
    // Each of the five attempts ends with its first call; a sixth would succeed.
    emulator.setFaults({ api_5xx: { times: 5 } })
    for (let attempt = 0; attempt < 5; attempt++) expect((await click()).headers.get('retry-after')).toBe('5')
    const bounded = await click()
    expect([bounded.status, bounded.headers.get('retry-after')]).toEqual([503, '60'])
    expect(emulator.checkouts()).toEqual([])
    await world.as('user-2').upgrade()
    clock.advance(60_000)
    for (let made = 0; made < 10; made++) {
      await emulator.pay((await user.upgrade()).checkoutId, 'canceled')
      await emulator.settled()
    }
    expect((await click()).body.code).toBe('too_many_checkouts')
  })
})
