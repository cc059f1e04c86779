import { enterConsole, signIn } from '../../../../test/support/console.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { OPERATOR_KEY } from '../../../../test/support/operator.js'
import { sql } from '../../../../test/support/sql.js'
import { createWorld } from '../../../../test/support/world.js'

const HOUR = 3_600_000
const selectAudit = sql('select actor, act, after from audit order by acted_at')
const selectSessions = sql('select * from operator_sessions')

describeWorld('the sign-in of the console', {}, ({ world, database, beside }) => {
  it('asks for a key, and leads to the page that was asked for and nowhere else', async () => {
    const asked = await world.call('GET', '/console/payments/pay_1?x=1')
    const form = `${world.base}/console/sign-in?to=%2Fconsole%2Fpayments%2Fpay_1%3Fx%3D1`
    expect([asked.status, asked.headers.get('location')]).toEqual([303, form])
    const page = await world.call('GET', form.slice(world.base.length))
    expect(page.text).toContain('name="to" value="/console/payments/pay_1?x=1"')
    const entered = await signIn(world, OPERATOR_KEY, { to: '/console/payments/pay_1?x=1' })
    expect(entered.headers.get('location')).toBe(`${world.base}/console/payments/pay_1?x=1`)
    const below = ['\\@evil', '/../x:y', '/../portal', '/%2e%2E/portal', '.evil', `/${'x'.repeat(1_001)}`]
    const away = ['https://evil.example', '//evil.example', '/portal']
    for (const to of [...away, ...below.map((path) => `/console${path}`)]) {
      const elsewhere = await signIn(world, OPERATOR_KEY, { to })
      expect([to, elsewhere.headers.get('location')]).toEqual([to, `${world.base}/console`])
    }
  })

  it('gives a cookie that scripts and other sites do not have, and keeps no secret', async () => {
    const { headers } = await signIn(world, OPERATOR_KEY)
    expect(headers.get('set-cookie')).toMatch(
      /^ishtirak_console[\w.]*=[\w-]{43}; Max-Age=28800; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    await using secure = await createWorld(database(), {
      env: { PUBLIC_URL: 'https://pay.example' },
      host: 'none',
    })
    const { headers: answered } = await signIn(secure, OPERATOR_KEY)
    expect(answered.get('set-cookie')).toMatch(/^__Host-ishtirak_console=.*; HttpOnly; Secure; SameSite=Lax$/)
    const { cookie } = await enterConsole(world, OPERATOR_KEY)
    const rows = JSON.stringify(await database().query(selectSessions, []))
    expect(rows).not.toContain(cookie.split('=')[1])
    expect(rows).not.toContain(OPERATOR_KEY)
  })

  it('lasts eight hours, and ends with a button or the key: withdrawn or of another role', async () => {
    const second = await enterConsole(world, OPERATOR_KEY)
    expect((await second.submit('/console/sign-out', { form_token: 'x' })).status).toBe(403)
    expect((await second.open()).status).toBe(200)
    const left = await second.submit('/console/sign-out')
    expect([left.status, left.headers.get('location')]).toEqual([303, `${world.base}/console/sign-in`])
    expect((await second.open()).status).toBe(303)
    expect(await database().query(selectSessions, [])).toEqual([])
    const visit = await enterConsole(world, OPERATOR_KEY)
    const with_ = async (OPERATOR_KEYS: string) => {
      const other = await beside({ env: { OPERATOR_KEYS, PUBLIC_URL: world.url }, host: 'none' })
      return (await other.call('GET', '/console', { headers: { cookie: visit.cookie } })).status
    }
    expect(await with_(`lina:another-key-of-the-tests,amina:${OPERATOR_KEY}`)).toBe(200)
    expect(await with_('amina:another-key-of-the-tests')).toBe(303)
    expect(await with_(`amina:viewer:${OPERATOR_KEY}`)).toBe(303)
    world.clock.advance(8 * HOUR - 1)
    expect((await visit.open()).status).toBe(200)
    world.clock.advance(1)
    expect((await visit.open()).status).toBe(303)
  })

  it('is slowed after five wrong keys in a minute, for the right one as well', async () => {
    for (let n = 0; n < 5; n++) {
      const refused = await signIn(world, 'some-other-key-of-20-characters')
      expect([refused.status, refused.text.includes('This key is not known')]).toEqual([401, true])
    }
    world.clock.advance(20_000)
    const slowed = await signIn(world, OPERATOR_KEY)
    expect([slowed.status, slowed.headers.get('retry-after')]).toEqual([429, '40'])
    world.clock.advance(40_000)
    expect((await signIn(world, OPERATOR_KEY)).status).toBe(303)
  })

  it('is not there without a key', async () => {
    await using closed = await createWorld(database(), { env: { OPERATOR_KEYS: '' } })
    expect((await closed.call('GET', '/console')).status).toBe(404)
    expect((await closed.call('GET', '/console/sign-in')).status).toBe(404)
  })

  it('is in the audit trail with its end, and so are wrong keys and forms', async () => {
    const visit = await enterConsole(world, OPERATOR_KEY)
    world.clock.advance(1_000)
    await visit.submit('/console/sign-out', { form_token: 'x' })
    world.clock.advance(1_000)
    await visit.submit('/console/sign-out')
    world.clock.advance(1_000)
    await signIn(world, 'some-other-key-of-20-characters')
    const session_id = expect.stringMatching(/^ops_/)
    expect(await database().query(selectAudit, [])).toEqual([
      { actor: 'amina', act: 'operator.sign_in', after: { session_id, role: 'owner', by: 'key' } },
      { actor: 'amina', act: 'operator.refused', after: { code: 'forbidden', refused: 1 } },
      { actor: 'amina', act: 'operator.sign_out', after: { session_id, operator: 'amina' } },
      { actor: '(unknown)', act: 'operator.refused', after: { code: 'invalid_operator_key', refused: 1 } },
    ])
  })
})
