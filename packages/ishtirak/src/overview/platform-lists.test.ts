import { describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { OPERATOR_KEY } from '../../../../test/support/operator.js'
import { PLATFORM_KEY } from '../../../../test/support/platform.js'
import { setProfile } from '../../../../test/support/profile.js'

const DAY = 86_400

describeWorldOnEach('the lists of the platform', {}, ({ world }) => {
  const read = (list: string, key = PLATFORM_KEY) =>
    world.call('GET', `/api/v1/platform/${list}`, { headers: { authorization: `Bearer ${key}` } })
  /** The values of a member in all pages of one row each. */
  const pagesOf = async (list: string, member = 'user_id') => {
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { status, body } = await read(`${list}limit=1${cursor && `&cursor=${cursor}`}`)
      expect([list, status]).toEqual([list, 200])
      seen.push(...body.data.map((row: Record<string, string>) => row[member]))
      cursor = body.next_cursor
    }
    return seen
  }

  it('name every user, and those whose row was written since: time alone writes none', async () => {
    await world.as('first').buy()
    await world.as('second').buy()
    await world.advance(DAY)
    await setProfile(world, 'third', { email: 'third@example.dz' })
    await setProfile(world, 'first', { name: 'Amina' })
    expect(await pagesOf('users?')).toEqual(['first', 'second', 'third'])
    expect(await pagesOf('users?changed_since=2026-11-21&')).toEqual(['second', 'first', 'third'])
    const since = 'users?changed_since=2026-11-22T12:00:00Z&'
    expect(await pagesOf(since)).toEqual(['first', 'third'])
    expect(await pagesOf(`${since}plan=pro&state=active&`)).toEqual(['first'])
    const [user] = (await read('users?state=active&plan=pro')).body.data
    expect(user).toMatchObject({
      ...{ user_id: 'first', name: 'Amina', plan: 'pro', status: 'active' },
      ...{ current_period_end: '2026-12-21T12:00:00Z', changed_at: '2026-11-22T12:00:00Z' },
    })
    // Both have ended, and both ends were announced.
    await world.advance(40 * DAY)
    expect(await pagesOf('users?state=expired&')).toEqual(['first', 'second'])
    expect(await pagesOf('users?changed_since=2026-11-23&')).toEqual([])
  })

  it('hold every payment, by status and from an instant on', async () => {
    const { paymentId: paid } = await world.as('first').buy()
    await world.advance(DAY)
    const { paymentId: open } = await world.as('second').upgrade()
    expect(await pagesOf('payments?', 'id')).toEqual([open, paid])
    expect(await pagesOf('payments?status=paid&', 'id')).toEqual([paid])
    expect(await pagesOf('payments?created_from=2026-11-22&', 'id')).toEqual([open])
    const [first] = (await read('payments?status=paid')).body.data
    expect(first).toMatchObject({ user_id: 'first', amount: 2000, paid_at: '2026-11-21T12:00:00Z' })
    const receipt = first.receipt_url.slice(`${world.url}/api/v1/platform/`.length)
    expect((await read(receipt)).headers.get('content-type')).toBe('application/pdf')
  })

  it('refuse another key, a value that makes no sense, and an operator’s own filters', async () => {
    for (const list of ['users', 'payments', 'events'])
      for (const key of ['another', OPERATOR_KEY]) expect((await read(list, key)).status).toBe(401)
    for (const user of ['first', 'second']) await setProfile(world, user, { name: 'Amina' })
    const ofUsers = (await read('users?limit=1')).body.next_cursor
    for (const [query, code] of [
      [`events?after=${ofUsers}`, 'invalid_cursor'],
      [`payments?cursor=${ofUsers}`, 'invalid_cursor'],
      ['users?state=nobody', 'validation_failed'],
      ['users?changed_since=2026-02-31', 'validation_failed'],
      ['users?balance=open', 'validation_failed'],
      ['users?cursor=x', 'invalid_cursor'],
      ['payments?status=lost', 'validation_failed'],
      ['payments?created_from=yesterday', 'validation_failed'],
      ['payments?cursor=x', 'invalid_cursor'],
      ['events?after=x', 'invalid_cursor'],
      ['events?limit=1001', 'validation_failed'],
    ]) {
      const { status, body } = await read(query ?? '')
      expect([query, status, body.code]).toEqual([query, 422, code])
    }
  })
})
