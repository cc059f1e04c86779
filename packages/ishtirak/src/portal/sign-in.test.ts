// The way into the portal for a user who is not logged in: the platform's page, else a link by mail.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { enterPortal, followToAnswer, wordsOf } from '../../../../test/support/portal.js'
import { setProfile } from '../../../../test/support/profile.js'
import { readMessage, type SmtpSink, startSmtpSink } from '../../../../test/support/smtp-sink.js'
import { createWorld, type World } from '../../../../test/support/world.js'

describeScenario('a visit of the portal without a session', ({ database }) => {
  let sink: SmtpSink
  let world: World
  const start = async (env: Record<string, string> = {}) => {
    world = await createWorld(database(), { env: { SMTP_URL: sink.url, ...env } })
  }
  beforeEach(async () => {
    sink = await startSmtpSink()
  })
  afterEach(async () => {
    await world.stop()
    await sink[Symbol.asyncDispose]()
  })

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
  const tokenIn = (text = '') => /\/portal\/sign-in\?token=([\w-]{43})/.exec(text)?.[1] ?? ''

  it('leads to the platform’s page, where there is one', async () => {
    await start({ PLATFORM_PORTAL_URL: 'http://platform.localhost/billing' })
    const answer = await world.call('GET', '/portal')
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      'http://platform.localhost/billing',
    ])
  })

  it('says how to come in, where there is neither a page of the platform nor a mail server', async () => {
    await start({ SMTP_URL: '' })
    const answer = await world.call('GET', '/portal?lang=en')
    expect([answer.status, answer.text]).toEqual([
      401,
      expect.stringContaining('Open your subscription from'),
    ])
    expect((await ask('amina@example.dz')).status).toBe(404)
  })

  it('asks for an e-mail address and sends a link, which a button uses once', async () => {
    await start()
    await know('user-1', 'amina@example.dz')
    const page = await world.call('GET', '/portal?lang=en')
    expect([page.status, page.text]).toEqual([401, expect.stringContaining('name="email"')])
    // Addresses are compared without case.
    expect((await ask('Amina@Example.dz')).status).toBe(200)
    const token = tokenIn((await mailed())[0])
    // A program that checks mail follows the link, and it still works.
    for (const _ of [1, 2])
      expect((await world.call('GET', `/portal/sign-in?token=${token}`)).text).toContain(
        '<form method="post"',
      )
    const entered = await post('/portal/sign-in', { token })
    expect([entered.status, entered.headers.get('location')]).toEqual([303, `${world.base}/portal`])
    const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? ''
    expect((await world.call('GET', '/portal', { headers: { cookie } })).status).toBe(200)
    expect((await post('/portal/sign-in', { token })).status).toBe(410)
  })

  it('answers an unknown address as it answers a known one, and mails nothing', async () => {
    await start()
    await know('user-1', 'amina@example.dz')
    const [known, unknown] = [await ask('amina@example.dz'), await ask('someone@example.dz')]
    expect([unknown.status, unknown.text]).toEqual([known.status, known.text])
    await mailed()
    expect(sink.messages.map(({ to }) => to[0])).toEqual(['amina@example.dz'])
  })

  it('sends a user no more than one link in five minutes', async () => {
    await start()
    await know('user-1', 'amina@example.dz')
    await Promise.all([1, 2, 3].map(() => ask('amina@example.dz')))
    await mailed()
    await world.advance(299)
    await ask('amina@example.dz')
    expect(await mailed()).toHaveLength(1)
    await world.advance(1)
    await ask('amina@example.dz')
    expect(await mailed()).toHaveLength(2)
  })

  it(
    'gives each mail with a link its own id, since mailboxes keep one of those with the same ' + 'id',
    async () => {
      await start()
      await know('user-1', 'amina@example.dz')
      for (const _ of [1, 2]) {
        await ask('amina@example.dz')
        await mailed()
        await world.advance(3600)
      }
      const ids = sink.messages.map((message) => readMessage(message).headers['message-id'])
      expect(new Set(ids).size).toBe(2)
    },
  )

  it('counts requests for links by address: the eleventh in ten minutes is refused', async () => {
    await start()
    for (let request = 0; request < 10; request++)
      expect((await ask(`u${request}@example.dz`)).status).toBe(200)
    expect((await ask('u11@example.dz')).status).toBe(429)
    await world.advance(600)
    expect((await ask('u12@example.dz')).status).toBe(200)
  })

  it('sends a link that is over after half an hour', async () => {
    await start()
    await know('user-1', 'amina@example.dz')
    await ask('amina@example.dz')
    const token = tokenIn((await mailed())[0])
    await world.advance(30 * 60)
    const over = await post('/portal/sign-in?lang=en', { token })
    expect([over.status, wordsOf(over.text)]).toEqual([410, expect.stringMatching(/within 30\sminutes/)])
    expect(over.text).toMatch(/class="button go" href="[\w/]*\/portal">Request a new link</)
  })

  it('keeps the link when the language of its page is changed', async () => {
    await start()
    await know('user-1', 'amina@example.dz')
    await ask('amina@example.dz')
    const token = tokenIn((await mailed())[0])
    const page = await world.call('GET', `/portal/sign-in?token=${token}`)
    const french = /href="([^"]+)" lang="fr"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const inFrench = await world.call('GET', french.slice(world.base.length))
    expect([inFrench.status, inFrench.text]).toEqual([200, expect.stringContaining(`value="${token}"`)])
    expect(inFrench.text).toContain('lang="fr" dir="ltr"')
  })

  it('says what is wrong with an address that is none', async () => {
    await start()
    const answer = await ask('"><script>amina')
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('aria-invalid="true"')])
    expect(answer.text).not.toContain('"><script>')
  })

  it(
    'signs in by the service’s own form only: another site cannot sign a user in to another ' + 'account',
    async () => {
      await start()
      await know('mallory', 'mallory@example.dz')
      await ask('mallory@example.dz')
      const token = tokenIn((await mailed())[0])
      const answer = await post('/portal/sign-in', { token }, { 'sec-fetch-site': 'cross-site' })
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null])
    },
  )

  it('mails a link by the service’s own form only', async () => {
    await start()
    await know('amina', 'amina@example.dz')
    const answer = await post(
      '/portal/link',
      { email: 'amina@example.dz' },
      { 'sec-fetch-site': 'cross-site' },
    )
    expect(answer.status).toBe(403)
    await world.advance(60)
    expect(await mailed()).toEqual([])
  })

  describe('with a session', () => {
    it('leads nowhere by an address that is too long for a header field', async () => {
      await start()
      const portal = await enterPortal(world, 'user-1')
      const token = 'ع'.repeat(9_000)
      const sent = await portal.post(
        '/portal/sign-in',
        new URLSearchParams({ token }).toString(),
        'application/x-www-form-urlencoded',
      )
      expect(sent.status).toBe(303)
      const location = sent.headers.get('location') ?? ''
      expect(location.length).toBeLessThan(1_000)
      const opened = await portal.open(location.slice(world.base.length))
      expect(opened.headers.get('location')).toBe(`${world.base}/portal`)
    })

    it('a mailed link is handled as a link of the platform is', async () => {
      await start()
      await know('user-1', 'amina@example.dz')
      await ask('amina@example.dz')
      const token = tokenIn((await mailed())[0])
      const url = (await world.as('user-1').post('/api/v1/billing/portal-sessions', {})).body.url
      const opened = await world.call('GET', url.slice(world.url.length))
      const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? ''
      const answer = await world.call('GET', `/portal/sign-in?token=${token}`, { headers: { cookie } })
      expect([answer.status, answer.headers.get('location')]).toEqual([
        303,
        `${world.base}/portal/open?token=${token}`,
      ])
    })
  })
})
