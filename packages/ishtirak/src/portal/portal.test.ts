import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { enterPortal, followToAnswer, wordsOf } from '../../../../test/support/portal.js'
import { setProfile } from '../../../../test/support/profile.js'
import { startSmtpSink } from '../../../../test/support/smtp-sink.js'
import { sql } from '../../../../test/support/sql.js'
import { type Answer, tokenOf } from '../../../../test/support/world.js'

const SESSIONS = '/api/v1/billing/portal-sessions'
const selectSecrets = sql('select link_digest, session_digest from portal_sessions order by id')

describeWorld('the portal', {}, ({ world, database, beside }) => {
  const linkOf = async (userId: string, body: unknown = {}): Promise<string> => {
    const answer = await world.as(userId).post(SESSIONS, body)
    return answer.body.url.slice(world.url.length)
  }
  const follow = (link: string, headers: Record<string, string> = {}) => world.call('GET', link, { headers })
  const cookieOf = (answer: Answer) =>
    /^ishtirak[\w.]*=[^;]+/.exec(answer.headers.get('set-cookie') ?? '')?.[0] ?? ''
  const enter = async (userId: string, body?: unknown) => cookieOf(await follow(await linkOf(userId, body)))
  const open = (cookie: string, headers: Record<string, string> = {}, path = '/portal') =>
    world.call('GET', path, { headers: { cookie, ...headers } })
  const formTokenIn = (page: Answer) => /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const send = async (
    path: string,
    fields: Record<string, string>,
    headers: Readonly<Record<string, string>>,
  ) => {
    const body = new URLSearchParams(fields).toString()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    return followToAnswer(
      world,
      await world.call('POST', path, { body, headers: { ...headers, ...type } }),
      headers,
    )
  }
  const submit = (cookie: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    send('/portal/upgrade', fields, { cookie, ...headers })

  it('is opened by a link: an address and its end, for a user’s token', async () => {
    const { status, text, body } = await world.as('user-1').post(SESSIONS, { return_path: '/settings' })
    expect([status, Object.keys(body)]).toEqual([201, ['url', 'expires_at']])
    expect(text).toMatch(/"url":"http:\/\/127\.0\.0\.1:\d+[\w/]*\/portal\/open\?token=[\w-]{43}"/)
    expect(body.expires_at).toBe('2026-11-21T12:05:00Z')
    expect((await world.call('POST', SESSIONS, { body: {} })).status).toBe(401)
    const authorization = `Bearer ${await tokenOf({ sub: 'user-1' })}`
    expect((await world.call('POST', SESSIONS, { headers: { authorization } })).status).toBe(201)
  })

  it('is opened by a link once, for a cookie that scripts and other sites cannot use', async () => {
    const link = await linkOf('user-1')
    const entered = [303, `${world.base}/portal`]
    const led = ({ status, headers }: Answer) => [status, headers.get('location')]
    const first = await follow(link)
    expect(led(first)).toEqual(entered)
    expect(first.headers.get('set-cookie')).toMatch(
      /^ishtirak[\w.]*=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    const second = await follow(link)
    expect([second.status, second.headers.get('set-cookie')]).toEqual([410, null])
    expect((await open(cookieOf(first))).status).toBe(200)
    // The same browser may click twice.
    for (const one of [link, await linkOf('user-1')])
      expect(led(await follow(one, { cookie: cookieOf(first) }))).toEqual(entered)
    const rows = JSON.stringify(await database().query(selectSecrets))
    expect(rows).not.toContain(link.split('token=')[1])
    expect(rows).not.toContain(cookieOf(first).split('=')[1])
  })

  it('is opened by a link that no prefetch uses up, and that is over after five minutes', async () => {
    const link = await linkOf('user-1')
    expect((await follow(link, { 'sec-purpose': 'prefetch;prerender' })).status).toBe(503)
    expect((await world.call('HEAD', link)).status).toBe(405)
    expect((await follow(link)).status).toBe(303)
    const late = await linkOf('user-1')
    world.clock.advance(300_000)
    expect((await follow(late)).status).toBe(410)
  })

  it('is opened by a link that leads back to a path of the platform, and nowhere else', async () => {
    for (const return_path of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      'settings',
      '/a b',
    ]) {
      const { body } = await world.as('user-1').post(SESSIONS, { return_path })
      expect([return_path, body.code]).toEqual([return_path, 'validation_failed'])
      expect(body.errors).toEqual([expect.objectContaining({ pointer: '/return_path' })])
    }
  })

  it('is opened by a link that lets one of twenty in that follow it at once', async () => {
    const link = await linkOf('user-1')
    const answers = await Promise.all(Array.from({ length: 20 }, () => follow(link)))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([303, ...Array.from({ length: 19 }, () => 410)])
  })

  describe('a link of another user than the browser’s session', () => {
    const answerTo = (page: Answer) => ({
      form_token: formTokenIn(page),
      token: /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? '',
    })
    const agree = (cookie: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      send('/portal/open', fields, { cookie, ...headers })
    const whoIs = async (cookie: string) => /user-[12]/.exec((await open(cookie)).text)?.[0]
    beforeEach(async () => {
      for (const id of ['user-1', 'user-2']) await setProfile(world, id, { name: id })
    })

    it('asks first, names both, and goes on by no form of another page', async () => {
      const cookie = await enter('user-1')
      const link = await linkOf('user-2')
      const asked = await follow(link, { cookie, 'accept-language': 'en' })
      expect([asked.status, asked.headers.get('set-cookie')]).toEqual([200, null])
      for (const part of ['This link opens another account', 'user-1', 'user-2'])
        expect(asked.text).toContain(part)
      const answers = answerTo(asked)
      expect((await agree(cookie, { ...answers, form_token: 'guessed' })).status).toBe(403)
      expect((await agree(cookie, answers, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
      // A form of another site comes without the cookie, and with no session it opens nothing.
      const bare = await agree('', answers)
      expect([bare.status, bare.headers.get('set-cookie')]).toEqual([401, null])
      expect(await whoIs(cookie)).toBe('user-1')
    })

    it('goes on by the button, once, and the session before is over', async () => {
      const cookie = await enter('user-1')
      const answers = answerTo(await follow(await linkOf('user-2'), { cookie }))
      const agreed = await agree(cookie, answers)
      expect([agreed.status, agreed.headers.get('location')]).toEqual([303, `${world.base}/portal`])
      expect(await whoIs(cookieOf(agreed))).toBe('user-2')
      expect((await open(cookie)).status).toBe(401)
      const third = await enter('user-1')
      const own = formTokenIn(await open(third))
      expect((await agree(third, { ...answers, form_token: own })).status).toBe(410)
      expect(await whoIs(third)).toBe('user-1')
    })
  })

  it('knows a session for twelve hours', async () => {
    const cookie = await enter('user-1')
    await world.advance(12 * 3600 - 1)
    expect((await open(cookie)).status).toBe(200)
    await world.advance(1)
    expect((await open(cookie)).status).toBe(401)
    expect(await database().query(selectSecrets)).toEqual([])
  })

  it('knows a session until its user leaves, and is sent back to the page before', async () => {
    const cookie = await enter('user-1', { return_path: '/settings/billing' })
    const form_token = formTokenIn(await open(cookie))
    const left = await world.call('POST', '/portal/leave', {
      body: new URLSearchParams({ form_token }).toString(),
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
    })
    const expected = [303, 'http://platform.localhost/settings/billing']
    expect([left.status, left.headers.get('location')]).toEqual(expected)
    expect((await open(cookie)).status).toBe(401)
  })

  it('takes only its own forms, whose origin browsers call null, and says what is wrong', async () => {
    const cookie = await enter('user-1')
    const form_token = formTokenIn(await open(cookie))
    const others = formTokenIn(await open(await enter('user-1')))
    expect(others).not.toBe(form_token)
    const statuses = async (...sent: readonly (readonly [Record<string, string>, object])[]) =>
      Promise.all(
        sent.map(async ([fields, headers]) => (await submit(cookie, fields, { ...headers })).status),
      )
    const [own, plan] = [{ plan: 'pro', form_token }, { plan: 'pro' }]
    const foreign = await statuses(
      [plan, {}],
      [{ ...plan, form_token: others }, {}],
      [own, { 'sec-fetch-site': 'cross-site' }],
      [own, { 'sec-fetch-site': 'same-site' }],
      [own, { origin: 'https://evil.example' }],
    )
    expect(foreign).toEqual([403, 403, 403, 403, 403])
    const wrong = await submit(cookie, { form_token, plan: 'gold' })
    expect([wrong.status, wrong.headers.get('content-type')]).toEqual([422, 'text/html; charset=utf-8'])
    expect(world.emulator.checkouts()).toEqual([])
    const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }
    expect((await submit(cookie, own, headers)).status).toBe(303)
  })

  it('runs no script, escapes names, cannot be framed, sends no referrer, is kept by no cache', async () => {
    const name = '<script>alert(1)</script>"\'&'
    await setProfile(world, 'user-1', { name })
    const cookie = await enter('user-1')
    const { text } = await open(cookie)
    expect(text).not.toContain('<script')
    expect(text).toContain('&lt;script>alert(1)&lt;/script>')
    const { paymentId } = await world.as('user-1').upgrade()
    for (const path of ['/portal', `/portal/return/${paymentId}`, '/portal/nothing']) {
      const { headers } = await open(cookie, {}, path)
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toMatch(
        /^default-src 'none'; style-src 'sha256-[\w+/=]+'; img-src data:; base-uri 'none'; /,
      )
      expect(policy).toContain("frame-ancestors 'none'")
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cache-control')).toBe('no-store')
    }
  })

  it('behind https keeps its cookie to this host, and is framed by the origins that are named', async () => {
    const PORTAL_FRAME_ANCESTORS = 'self,https://host.example'
    const env = { PUBLIC_URL: 'https://pay.example/billing', PORTAL_FRAME_ANCESTORS }
    const secure = await beside({ env })
    const link = await secure.as('user-1').post(SESSIONS, {})
    const entered = await secure.call('GET', link.body.url.replace('https://pay.example/billing', ''))
    const cookie = entered.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(
      /^__Host-ishtirak\.billing=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    expect(entered.headers.get('location')).toBe('/billing/portal')
    const page = await secure.call('GET', '/portal', { headers: { cookie: cookie.split(';')[0] ?? '' } })
    expect(page.text).toContain('action="/billing/portal/upgrade"')
    const policy = page.headers.get('content-security-policy')
    expect(policy).toContain("frame-ancestors 'self' https://host.example")
  })

  const langOf = (page: Answer) => /<html lang="(\w+)"/.exec(page.text)?.[1]

  it('is in the language chosen by hand, else of the profile, else of the browser', async () => {
    await setProfile(world, 'user-1', { locale: 'en' })
    const cookie = await enter('user-1')
    expect(langOf(await open(cookie, { 'accept-language': 'fr' }))).toBe('en')
    const chosen = await open(cookie, { 'accept-language': 'fr' }, '/portal?lang=ar')
    expect(langOf(chosen)).toBe('ar')
    const remembered = /ishtirak_lang[\w.]*=\w+/.exec(chosen.headers.get('set-cookie') ?? '')?.[0]
    expect(langOf(await open(`${cookie}; ${remembered}`, { 'accept-language': 'fr' }))).toBe('ar')
    // To an anonymous visitor, and in Arabic where no language of theirs is spoken.
    const accepted = ['fr-DZ,fr;q=0.9', 'de,es']
    const pages = await Promise.all(accepted.map((accept) => open('', { 'accept-language': accept })))
    expect(pages.map(langOf)).toEqual(['fr', 'ar'])
  })

  it('shows a year a page, and the way to older payments', async () => {
    const user = world.as('user-1')
    for (let month = 0; month < 13; month++) {
      await user.buy()
      world.clock.advance(30 * 86_400_000)
    }
    const cookie = await enter('user-1')
    const newest = await open(cookie, {}, '/portal/payments')
    const count = ({ text }: Answer) =>
      /id="history".*?<\/section>/s.exec(text)?.[0].match(/\/portal\/receipts\//g)?.length
    expect(count(newest)).toBe(12)
    const older = /href="[\w/]*(\/portal\/payments\?cursor=[^"]+)/.exec(newest.text)?.[1] ?? ''
    expect(count(await open(cookie, {}, older))).toBe(1)
    expect((await open(cookie, {}, '/portal/payments?cursor=made-up')).status).toBe(422)
  })

  it('the page after paying believes no redirect, and asks again for three minutes', async () => {
    const { paymentId, checkoutId } = await world.as('user-1').upgrade()
    const path = `/portal/return/${paymentId}?checkout_id=${checkoutId}&status=paid&failed=1`
    const { text, headers } = await world.call('GET', path, { headers: { 'accept-language': 'en' } })
    expect(text).toContain('We are waiting for the bank')
    expect(headers.get('refresh')).toBe('3; url=?look=1')
    for (const [look, refresh] of Object.entries({
      4: '10; url=?look=5',
      19: '10; url=?look=20',
      20: null,
    })) {
      const page = await world.call('GET', `/portal/return/${paymentId}?look=${look}`)
      expect([look, page.headers.get('refresh')]).toEqual([look, refresh])
    }
  })

  it('the page after paying names no user, not even to another user with a session', async () => {
    await setProfile(world, 'user-1', { name: 'Amina', email: 'amina@example.dz' })
    const { paymentId } = await world.as('user-1').buy()
    const others = await enter('user-2')
    for (const cookie of ['', others]) {
      const { text } = await open(cookie, {}, `/portal/return/${paymentId}`)
      expect(text).not.toMatch(/Amina|amina@example\.dz|user-1|\/portal\/receipts/)
    }
    const own = await open(await enter('user-1'), {}, `/portal/return/${paymentId}`)
    expect(own.text).toContain(`/portal/receipts/${paymentId}`)
  })

  it('the page after paying says to the payer alone where the receipt is sent', async () => {
    await using sink = await startSmtpSink()
    const mailing = await beside({ env: { SMTP_URL: sink.url } })
    await setProfile(mailing, 'user-1', { email: 'nadia.b@example.dz', locale: 'en' })
    const { paymentId } = await mailing.as('user-1').buy()
    const link = (await mailing.as('user-1').post(SESSIONS, {})).body.url.slice(mailing.url.length)
    const cookie = cookieOf(await mailing.call('GET', link))
    const look = async (headers = {}) =>
      (await mailing.call('GET', `/portal/return/${paymentId}`, { headers })).text
    expect(await look({ cookie })).toContain('We send the receipt to n…@example.dz.')
    expect(await look()).not.toMatch(/example\.dz|the receipt to/)
  })

  const receiptOf = (userId: string, paymentId: string, headers: Record<string, string> = {}) =>
    world.as(userId).get(`/api/v1/billing/payments/${paymentId}/receipt`, headers)

  it('a receipt by the API is a PDF for its owner that no later name touches, 404 for others', async () => {
    await setProfile(world, 'user-1', { name: 'Amina Boudiaf' })
    const { paymentId } = await world.as('user-1').buy()
    const own = await receiptOf('user-1', paymentId)
    expect([own.status, own.headers.get('content-type')]).toEqual([200, 'application/pdf'])
    expect(own.headers.get('content-disposition')).toBe('inline; filename="receipt-TEST-2026-000001.pdf"')
    expect(await receiptOf('user-2', paymentId)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    const inPortal = await open(await enter('user-2'), {}, `/portal/receipts/${paymentId}`)
    expect(inPortal.status).toBe(404)
    const unpaid = await receiptOf('user-3', (await world.as('user-3').upgrade()).paymentId)
    expect([unpaid.status, unpaid.body.code]).toEqual([409, 'payment_not_paid'])
    await setProfile(world, 'user-1', { name: 'Another Name' })
    expect((await receiptOf('user-1', paymentId)).text).toBe(own.text)
  })
})

const PHONE = '+213 00 00 00 00'

describeWorld('the pages say', {}, ({ world }) => {
  const returned = async (paymentId: string) => {
    const headers = { 'accept-language': 'en' }
    return wordsOf((await world.call('GET', `/portal/return/${paymentId}`, { headers })).text)
  }
  const portal = async (userId = 'user-1') => wordsOf((await (await enterPortal(world, userId)).open()).text)

  it('of a payment that failed that nothing changed, and whom to call', async () => {
    const { paymentId, checkoutId } = await world.as('user-1').upgrade()
    await world.emulator.pay(checkoutId, 'failed')
    expect(await returned(paymentId)).toContain(
      `Your plan has not changed. If your bank shows a debit, call Example Hosting: ${PHONE}.`,
    )
  })

  it('both sums and the telephone where less money came, or what else differs', async () => {
    for (const [userId, fault, said] of [
      ['user-1', 'wrong_amount', 'We received 50 DA; the order is for 2 000 DA. Do not pay again'],
      ['user-2', 'wrong_mode', 'does not match'],
    ] as const) {
      world.emulator.setFaults({ [fault]: { times: 1 } })
      const { paymentId } = await world.as(userId).buy()
      for (const page of [await returned(paymentId), await portal(userId)])
        for (const part of [said, PHONE]) expect(page).toContain(part)
      const { text } = await (await enterPortal(world, userId)).open()
      expect(text).not.toMatch(/\/portal\/(upgrade|choice)/)
    }
  })

  it('that nothing was debited where the session was over at the button to pay', async () => {
    const said = 'Your session has ended Nothing was carried out, and nothing was debited.'
    const session = await enterPortal(world, 'user-1')
    world.clock.advance(13 * 3_600_000)
    const page = await session.submit('/portal/upgrade', { plan: 'pro' })
    expect([page.status, wordsOf(page.text)]).toEqual([401, expect.stringContaining(said)])
    // Who only opens the portal has sent nothing.
    expect(wordsOf((await session.open()).text)).not.toContain(said)
    expect(world.emulator.checkouts()).toEqual([])
  })

  it('on top that the plan has ended', async () => {
    await world.as('user-1').buy()
    await world.advance(31 * 86_400)
    const page = await portal()
    const ended = 'Pro ended on 21 December 2026. Renew in time'
    expect(page).toContain(ended)
    expect(page.indexOf(ended)).toBeLessThan(page.indexOf('2 000'))
    await world.advance(3 * 86_400)
    expect(await portal()).toContain('Subscribe to Pro again')
  })

  it('of granted time that ended that it ended, not that it was paid', async () => {
    await operatorOf(world).post('/users/user-1/grant', { plan: 'pro', days: 7, why: 'a trial' })
    for (const days of [1, 7, 3]) {
      expect(await portal()).not.toMatch(/paid (time|until)/i)
      await world.advance(days * 86_400)
    }
  })
})
