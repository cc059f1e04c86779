import { describeWorld } from '../../../../test/support/describe-world.js'
import { enterPortal, followToAnswer, wordsOf } from '../../../../test/support/portal.js'
import { setProfile } from '../../../../test/support/profile.js'
import { readMessage, sinkOfTests } from '../../../../test/support/smtp-sink.js'

const sink = await sinkOfTests()

describeWorld('a visit of the portal without a session', {}, ({ world, restart }) => {
  const start = (env: Record<string, string> = {}) => restart({ env: { SMTP_URL: sink.url, ...env } })
  const know = (userId: string, email: string) => setProfile(world, userId, { email, locale: 'en' })
  const post = async (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const answer = await world.call('POST', path, {
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    })
    return followToAnswer(world, answer, headers)
  }
  const ask = (email: string) => post('/portal/link', { email })
  const mailed = async () => {
    await world.service.runner.runAll()
    return sink.messages.map((message) => readMessage(message).parts['text/plain']?.toString() ?? '')
  }
  /** The button of the page to which the mailed link leads. */
  const press = (token: string, headers: Record<string, string> = {}) =>
    world.call('GET', `/portal/open?token=${token}&mailed=yes`, {
      headers: { 'accept-language': 'en', ...headers },
    })
  const tokenIn = (text = '') => /\/portal\/sign-in\?token=([\w-]{43})/.exec(text)?.[1] ?? ''

  it('leads to the platform’s page, where there is one', async () => {
    await start({ PLATFORM_PORTAL_URL: 'http://platform.localhost/billing' })
    const answer = await world.call('GET', '/portal')
    expect(answer.headers.get('location')).toBe('http://platform.localhost/billing')
  })

  it('says how to come in, where there is neither a page of the platform nor a mail server', async () => {
    await start({ SMTP_URL: '' })
    const answer = await world.call('GET', '/portal?lang=en')
    const expected = [401, expect.stringContaining('Open your subscription from')]
    expect([answer.status, answer.text]).toEqual(expected)
    expect((await ask('amina@example.dz')).status).toBe(404)
  })

  it('asks for an e-mail address and sends a link, which a button of its own page uses once', async () => {
    await start()
    await know('user-1', 'amina@example.dz')
    const page = await world.call('GET', '/portal?lang=en')
    expect([page.status, page.text]).toEqual([401, expect.stringContaining('name="email"')])
    // Addresses are compared without case.
    expect((await ask('Amina@Example.dz')).status).toBe(200)
    const token = tokenIn((await mailed())[0])
    // A program that checks mail follows the link, and it still works.
    for (const _ of [1, 2])
      expect((await world.call('GET', `/portal/sign-in?token=${token}`)).text).toContain(`value="${token}"`)
    // The language is changed without losing the link.
    const own = await world.call('GET', `/portal/sign-in?token=${token}`)
    const french = /href="([^"]+)" lang="fr"/.exec(own.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const inFrench = await world.call('GET', french.slice(world.base.length))
    expect(inFrench.text).toMatch(new RegExp(`<html lang="fr".*value="${token}"`, 's'))
    const none = await ask('"><script>amina')
    expect([none.status, none.text]).toEqual([422, expect.stringContaining('aria-invalid="true"')])
    expect(none.text).not.toContain('"><script>')
    await know('user-2', 'nadia@example.dz')
    const crossSite = { 'sec-fetch-site': 'cross-site' }
    expect((await post('/portal/link', { email: 'nadia@example.dz' }, crossSite)).status).toBe(403)
    world.clock.advance(300_000)
    expect(await mailed()).toHaveLength(1)
    const entered = await press(token)
    expect([entered.status, entered.headers.get('location')]).toEqual([303, `${world.base}/portal`])
    const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? ''
    expect((await world.call('GET', '/portal', { headers: { cookie } })).status).toBe(200)
    expect((await press(token)).status).toBe(410)
  })

  it('sends a user one link in five minutes', async () => {
    await start()
    await know('user-1', 'amina@example.dz')
    await ask('amina@example.dz')
    await mailed()
    expect(sink.messages.map(({ to }) => to[0])).toEqual(['amina@example.dz'])
    await Promise.all([1, 2, 3].map(() => ask('amina@example.dz')))
    await mailed()
    await world.advance(299)
    await ask('amina@example.dz')
    expect(await mailed()).toHaveLength(1)
    await world.advance(1)
    await ask('amina@example.dz')
    expect(await mailed()).toHaveLength(2)
    // Mailboxes keep one of those with the same id.
    const ids = sink.messages.map((message) => readMessage(message).headers['message-id'])
    expect(new Set(ids).size).toBe(2)
  })

  it('takes ten requests in ten minutes from an address, and a link is over after half an hour', async () => {
    await start()
    await know('user-1', 'amina@example.dz')
    await ask('amina@example.dz')
    const token = tokenIn((await mailed())[0])
    for (let request = 1; request < 10; request++)
      expect((await ask(`u${request}@example.dz`)).status).toBe(200)
    expect((await ask('u11@example.dz')).status).toBe(429)
    await world.advance(600)
    expect((await ask('u12@example.dz')).status).toBe(200)
    await world.advance(20 * 60)
    const over = await press(token)
    expect([over.status, wordsOf(over.text)]).toEqual([410, expect.stringMatching(/within 30\sminutes/)])
    expect(over.text).toMatch(/class="button go" href="[\w/]*\/portal">Request a new link</)
  })

  it('handles a mailed link in a session as one of the platform', async () => {
    await start()
    await know('user-2', 'nadia@example.dz')
    const { headers } = await enterPortal(world, 'user-2')
    await know('user-1', 'amina@example.dz')
    await ask('amina@example.dz')
    const token = tokenIn((await mailed())[0])
    const asked = await press(token, headers)
    expect([asked.status, asked.text]).toEqual([200, expect.stringContaining('nadia@example.dz')])
  })
})
