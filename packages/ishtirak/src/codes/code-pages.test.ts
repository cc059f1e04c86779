import { beforeEach, expect, it } from 'vitest'
import { makeCodes, PERCENT, VOUCHER } from '../../../../test/support/codes.js'
import { type ConsoleVisit, enterConsole, fieldsOfAct } from '../../../../test/support/console.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { wordsOf } from '../../../../test/support/portal.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'

const CODE = /[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}/g

describeWorld('the page of codes', {}, ({ world }) => {
  const owner = operatorOf(world, ROLE_KEYS.owner)
  let visit: ConsoleVisit
  beforeEach(async () => {
    visit = await enterConsole(world, ROLE_KEYS.owner)
  })

  const redeem = (userId: string, code: string | undefined) =>
    world.as(userId).post('/api/v1/billing/redeem', { code })
  const words = async (path: string) => wordsOf((await visit.open(path)).text)

  it('makes a batch: asked, shown, and answered with cards that nothing shows again', async () => {
    expect(await words('/console/codes')).toContain('There are no such codes.')
    const question = await visit.open('/console/codes/create')
    expect(question.text).toContain('name="cards"')
    const asked = '?kind=months&plan=pro&months=3&count=24&until=2027-01-01&cards=ar'
    const shown = await visit.open(`/console/codes/create${asked}`)
    expect(wordsOf(shown.text)).toMatch(
      /What each gives Time without a payment Plan pro Months .* 3 Uses of each code 1 .* 1 January 2027/,
    )
    expect((await owner.get('/codes')).body.data).toEqual([])
    const fields = { ...fieldsOfAct(shown.text), why: 'fair of Oran' }
    const sheet = await visit.submit('/console/codes/create', fields)
    expect(sheet.status).toBe(200)
    expect(sheet.headers.get('cache-control')).toBe('no-store')
    const cards = /<ol class="cards" lang="ar" dir="rtl">.*<\/ol>/s.exec(sheet.text)?.[0] ?? ''
    expect(new Set(cards.match(CODE)).size).toBe(24)
    expect(wordsOf(cards)).toContain('حتى 31 ديسمبر 2026')
    expect(sheet.text).toContain('download="bat_')
    expect(sheet.text).toContain('@page{size:A4')
    // Sent again nothing is made, and nothing is shown.
    const again = await visit.submit('/console/codes/create', fields)
    expect([again.status, again.text.match(CODE)]).toEqual([303, null])
    expect(await visit.follow(again)).toContain('Where that page is lost, revoke the batch')
    expect((await owner.get('/codes')).body.data).toMatchObject([{ count: 24, why: 'fair of Oran' }])
    expect((await redeem('user-1', cards.match(CODE)?.[0])).status).toBe(200)
    const wrong = await visit.open('/console/codes/create?kind=percent&percent=10&count=1001')
    expect([wrong.status, wrong.text.includes('aria-invalid="true"')]).toEqual([422, true])
  })

  it('says who used the codes of a batch, by API, on its page and in a file', async () => {
    const vouchers = await makeCodes(owner, { ...VOUCHER, count: 3 })
    await redeem('user-1', vouchers.codes[0])
    world.clock.advance(1_000)
    await redeem('user-2', vouchers.codes[1])
    const discount = await makeCodes(owner, { ...PERCENT, uses: 5 })
    const { paymentId } = await world.as('user-3').buyWanted({ plan: 'pro', code: discount.code })
    world.clock.advance(1_000)
    await world.as('user-4').post('/api/v1/billing/payments', { plan: 'pro', code: discount.code })
    const usesOf = async (id: string, query = '') => (await owner.get(`/codes/${id}/uses${query}`)).body
    expect((await usesOf(vouchers.id)).data).toMatchObject([
      { user_id: 'user-2', state: 'redeemed', plan: 'pro', months: 1, amount: 0 },
      { user_id: 'user-1', state: 'redeemed', use_id: expect.stringMatching(/^red_/) },
    ])
    const { data, next_cursor } = await usesOf(discount.id, '?limit=1')
    expect(data).toMatchObject([{ user_id: 'user-4', state: 'open', amount: 1_700, discount: 300 }])
    const behind = await usesOf(discount.id, `?limit=1&cursor=${next_cursor}`)
    expect(behind).toMatchObject({ data: [{ use_id: paymentId, state: 'paid' }], next_cursor: null })
    const page = await visit.open(`/console/codes/${discount.id}`)
    expect(wordsOf(page.text)).toMatch(/user-4 in an open payment .* user-3 in a payment Pro · 1 month/)
    expect(page.text).toContain(`href="${world.base}/console/payments/${paymentId}"`)
    const file = await visit.open(`/console/codes/${vouchers.id}/uses.csv`)
    expect(file.text.split('\r\n').slice(0, 2)).toEqual([
      'used_at,use_id,user_id,state,plan,months,amount,discount,period_start,period_end',
      expect.stringMatching(/^2026-11-21T12:00:01Z,red_\w+,user-2,redeemed,pro,1,0,0,/),
    ])
    expect((await owner.get(`/exports/codes/${vouchers.id}`)).text).toBe(file.text)
  })

  it('revokes one code: it does not count any more, and the others do', async () => {
    const { id, codes } = await makeCodes(owner, { ...VOUCHER, count: 3 })
    const [first = '', second, third] = codes
    const typed = first.toLowerCase().replaceAll('-', ' ')
    // Asked by POST: a code that counts stands in no address, nor in a link of a page.
    const question = await visit.open(`/console/codes/revoke-code?code=${encodeURIComponent(typed)}`)
    expect(question.text).toMatch(/<form method="post" action="[^"?]*\/revoke-code">/)
    expect(question.text).not.toContain(typed)
    const shown = await visit.submit('/console/codes/revoke-code', { code: typed })
    expect(shown.status).toBe(200)
    for (const [, href] of shown.text.matchAll(/(?:href|action)="([^"]*)"/g))
      expect(href).not.toContain(encodeURIComponent(typed).slice(0, 4))
    expect(wordsOf(shown.text)).toMatch(/Uses left 1 0/)
    const fields = { ...fieldsOfAct(shown.text), why: 'lost' }
    const answer = await visit.submit('/console/codes/revoke-code', fields)
    expect(await visit.follow(answer)).toContain('Done. It stands in the journal.')
    expect((await redeem('user-1', first)).body.code).toBe('code_not_valid')
    expect((await redeem('user-1', second)).status).toBe(200)
    const { body } = await owner.get(`/codes/${id}`)
    expect(body).toMatchObject({ codes_revoked: 1, left: 1, used: 1, revoked_at: null })
    const again = await owner.post('/codes/revoke-code', { code: first, why: 'lost' })
    expect([again.status, again.body.code]).toEqual([409, 'already_revoked'])
    const asked = await visit.submit('/console/codes/revoke-code', { code: 'x' })
    expect([asked.status, asked.text.includes('role="alert"')]).toEqual([404, true])
    const preview = await owner.post('/codes/revoke-code/preview', { code: third })
    expect(preview.body.changes).toMatchObject([{ before: 1, after: 0 }])
    expect((await owner.get(`/codes/revoke-code?code=${third}`)).status).toBe(404)
    const { data } = (await owner.get('/audit?act=codes.revoke_code')).body
    expect(JSON.stringify(data)).not.toContain(first)
  })
})
