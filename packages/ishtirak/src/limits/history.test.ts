import { expect, it } from 'vitest'
import { enterConsole } from '../../../../test/support/console.js'
import { describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { platformFor } from '../../../../test/support/platform.js'
import { wordsOf } from '../../../../test/support/portal.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { DAY, HOUR } from '../core/instant.js'

describeWorldOnEach('the history of limits', {}, ({ world }) => {
  let operations = 0
  const consume = async (user: string, amount: number, operation_id = `op-${operations++}`) =>
    (await platformFor(world, user).consume('deploys_per_day', { amount, operation_id })).body
  const history = async (user: string, query = '') =>
    (await operatorOf(world, ROLE_KEYS.viewer).get(`/users/${user}/limits/history${query}`)).body

  it('has an hour for each in which something was refused, with how often and how much', async () => {
    await world.as('user-1').buy()
    const { limit: most } = await consume('user-1', 1)
    await consume('user-1', most - 1)
    expect((await history('user-1')).data).toEqual([])
    expect((await consume('user-1', 2)).allowed).toBe(false)
    world.clock.advance(60_000)
    await Promise.all([1, 1, 1].map((amount) => consume('user-1', amount)))
    const full = { limit: 'deploys_per_day', scope: '', used: most, maximum: most }
    const first = { ...full, refused: 4, asked: 5, first_at: '2026-11-21T12:00:00Z' }
    expect((await history('user-1')).data).toEqual([{ ...first, last_at: '2026-11-21T12:01:00Z' }])
    world.clock.advance(HOUR)
    await consume('user-1', 1)
    const page = await history('user-1', '?limit=1')
    expect(page.data).toMatchObject([{ ...full, refused: 1, first_at: '2026-11-21T13:01:00Z' }])
    expect((await history('user-1', `?limit=1&cursor=${page.next_cursor}`)).data).toMatchObject([first])
    const visit = await enterConsole(world, ROLE_KEYS.viewer)
    expect(wordsOf((await visit.open('/console/users/user-1')).text)).toContain(`${most} / ${most}`)
    expect((await history('user-2')).code).toBe('not_found')
    await world.advance((30 * DAY) / 1_000 + 7_200)
    expect((await history('user-1')).data).toEqual([])
  })
})
