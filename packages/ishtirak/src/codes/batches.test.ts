import { makeCodes, PERCENT, VOUCHER } from '../../../../test/support/codes.js'
import { type ConsoleVisit, enterConsole, fieldsOfAct } from '../../../../test/support/console.js'
import { describeWorld, describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { enterPortal, wordsOf } from '../../../../test/support/portal.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { sql } from '../../../../test/support/sql.js'
import { createWorld } from '../../../../test/support/world.js'

const everything =
  sql(`select (select json_agg(b)::text from code_batches b) || (select json_agg(c)::text from codes c)
          || (select json_agg(a)::text from audit a) as stored, (select json_agg(a.after)
            from audit a) as audited`)

const MONTHS = { ...VOUCHER, count: 3 }

/** Wrong requests, each with the field and the problem. */
const SENSELESS = [
  [{ ...MONTHS, plan: undefined }, '/plan', 'required'],
  [{ ...MONTHS, percent: 5 }, '/percent', 'not_allowed'],
  [{ ...PERCENT, percent: undefined }, '/percent', 'required'],
  [{ ...PERCENT, percent: 101 }, '/percent', 'too_large'],
  [{ ...PERCENT, count: 10_001 }, '/count', 'too_large'],
  [{ ...PERCENT, from: '2027-01-01', until: '2027-01-01' }, '/until', 'too_small'],
  [{ ...PERCENT, until: '2026-11-21T12:00:00Z' }, '/until', 'too_small'],
] as const

describeWorldOnEach('codes of the operator', {}, ({ world, database }) => {
  const operator = operatorOf(world)

  it('are shown once, and nothing that is stored shows them', async () => {
    const made = await operator.post('/codes/create', MONTHS)
    expect(made.body).toEqual({
      batch_id: expect.stringMatching(/^bat_/),
      codes: Array.from({ length: 3 }, () => expect.stringMatching(/^([0-9A-HJKMNP-TV-Z]{4}(-|$)){4}$/)),
    })
    expect(made.headers.get('cache-control')).toBe('no-store')
    const [row] = await database().query(everything)
    for (const code of made.body.codes) {
      expect(row?.stored).not.toContain(code)
      expect(row?.stored).not.toContain(code.replaceAll('-', ''))
    }
    expect(row?.audited).toMatchObject([{ id: made.body.batch_id, kind: 'months', count: 3, uses: 1 }])
  })

  it('are listed as batches, newest first, with what is used and left', async () => {
    // A page may end within a second.
    world.clock.advance(1)
    const first = (await operator.post('/codes/create', { ...PERCENT, count: 2, uses: 5, uses_per_user: 2 }))
      .body
    world.clock.advance(1)
    const until = { from: '2026-12-01', until: '2027-01-01T12:00:00Z' }
    const second = (await operator.post('/codes/create', { ...MONTHS, ...until })).body
    const { data } = (await operator.get('/codes')).body
    expect(data).toMatchObject([
      { batch_id: second.batch_id, plan: 'pro', months: 1, count: 3, used: 0, left: 3, created_by: 'amina' },
      { batch_id: first.batch_id, plan: null, percent: 15, uses: 5, uses_per_user: 2, used: 0, left: 10 },
    ])
    expect(data[0]).toMatchObject({ from: '2026-11-30T23:00:00Z', until: '2027-01-01T12:00:00Z' })
    const [page, found] = [await operator.get('/codes?limit=1'), await operator.get('/codes?q=RAMADAN')]
    expect([page.body.data.length, found.body.data]).toEqual([1, data.slice(1)])
    const next = await operator.get(`/codes?limit=1&cursor=${page.body.next_cursor}`)
    expect(next.body.data).toEqual(data.slice(1))
    expect((await operator.get(`/codes/${first.batch_id}`)).body).toEqual(data[1])
    expect((await operator.get('/codes/nope')).body).toMatchObject({ code: 'not_found', batch_id: 'nope' })
  })

  it('are revoked as a batch, once, with who and why in the audit trail', async () => {
    const { batch_id } = (await operator.post('/codes/create', PERCENT)).body
    const revoked = await operator.post(`/codes/${batch_id}/revoke`, { why: 'leaked' })
    expect(revoked.body).toMatchObject({ batch_id, revoked_at: '2026-11-21T12:00:00Z', revoked_by: 'amina' })
    const again = await operator.post(`/codes/${batch_id}/revoke`, { why: 'leaked' })
    expect([again.status, again.body.code]).toEqual([409, 'already_revoked'])
    const none = await operator.post('/codes/nope/revoke', { why: 'leaked' })
    expect(none.body).toMatchObject({ code: 'not_found', batch_id: 'nope' })
    const [row] = await database().query(everything)
    expect(row?.audited).toMatchObject([{}, { batch_id }, { code: 'already_revoked' }])
  })

  it('are made once by an operation: its second sending names the batch; a preview makes none', async () => {
    const asked = { ...PERCENT, operation_id: 'order-1' }
    const { batch_id } = (await operator.post('/codes/create', asked)).body
    const again = await operator.post('/codes/create', asked)
    expect([again.status, again.body]).toMatchObject([409, { code: 'conflict', batch_id }])
    const preview = await operator.get('/codes/create?kind=percent&plan=pro&percent=15&count=7')
    const named = expect.objectContaining({ what: 'plan', after: 'Pro' })
    expect(preview.body.changes).toContainEqual(named)
    expect(preview.body.changes).toContainEqual(
      expect.objectContaining({ what: 'codes', before: null, after: 7 }),
    )
    const revoked = await operator.get(`/codes/${batch_id}/revoke`)
    expect(revoked.body.changes).toMatchObject([{ what: 'codesLeft', before: 1, after: 0 }])
    expect((await operator.get('/codes')).body.data).toMatchObject([{ batch_id, revoked_at: null }])
  })

  it('that leave nothing to pay say for which terms, before they are made and after', async () => {
    const body = { kind: 'amount', amount: 1951, count: 1 }
    const { changes } = (await operator.get(`/codes/create?${new URLSearchParams(Object(body))}`)).body
    expect(changes[2]).toMatchObject({ what: 'codesFree', after: 'pro 1' })
    expect((await operator.post('/codes/create', { ...body, why: 'gift' })).body.free).toEqual(['pro 1'])
    const { free } = (await operator.post('/codes/create', { ...body, amount: 1950, why: 'gift' })).body
    expect(free).toBeUndefined()
  })

  it('that make no sense are refused; a discount is for terms that are sold, time for any', async () => {
    const create = async (batch: object) => (await operator.post('/codes/create', batch)).body
    for (const [body, pointer, code] of SENSELESS)
      expect([body, await create(body)]).toMatchObject([body, { status: 422, errors: [{ pointer, code }] }])
    for (const [batch, code] of [
      [{ ...MONTHS, plan: 'gold' }, 'unknown_plan'],
      [{ ...PERCENT, plan: 'free' }, 'plan_not_purchasable'],
      [{ ...PERCENT, plan: 'pro', months: 7 }, 'unknown_term'],
      [{ ...MONTHS, months: 7 }, undefined],
    ] as const)
      expect([batch, (await create(batch)).code]).toEqual([batch, code])
  })

  it('can neither be made nor redeemed without CODE_KEYS', async () => {
    await using without = await createWorld(database(), { env: { CODE_KEYS: '' } })
    const refused = await operatorOf(without).post('/codes/create', PERCENT)
    expect([refused.status, refused.body.setting]).toEqual([404, 'CODE_KEYS'])
    const redeemed = await without.as('user-1').post('/api/v1/billing/redeem', { code: 'x' })
    expect([redeemed.status, redeemed.body.code]).toEqual([404, 'not_found'])
    expect((await (await enterPortal(without, 'user-1')).open()).text).not.toContain('/portal/code')
  })
})

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
    expect(await words('/console/codes')).toContain('Nobody and nothing matches.')
    const question = await visit.open('/console/codes/create')
    expect(question.text).toContain('name="cards"')
    const asked = '?kind=months&plan=pro&months=3&count=24&until=2027-01-01&cards=ar'
    const shown = await visit.open(`/console/codes/create${asked}`)
    expect(wordsOf(shown.text)).toMatch(
      /What each gives Time without a payment Plan Pro Months .* 3 Uses of each code 1 .* 1 January 2027/,
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
    // A repetition makes nothing and shows nothing.
    const again = await visit.submit('/console/codes/create', fields)
    expect([again.status, again.text.match(CODE)]).toEqual([303, null])
    expect(await visit.follow(again)).toContain('If that page is lost, revoke the batch')
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
    world.clock.advance(1)
    const { paymentId } = await world.as('user-3').buyWanted({ plan: 'pro', code: discount.code })
    world.clock.advance(1)
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
    const file = await visit.open(`/console/codes/${vouchers.id}.csv`)
    expect(file.text.split('\r\n').slice(0, 2)).toEqual([
      'used_at,use_id,user_id,state,plan,months,amount,discount,period_start,period_end',
      expect.stringMatching(/^2026-11-21T12:00:01Z,red_\w+,user-2,redeemed,pro,1,0,0,/),
    ])
    expect((await owner.get(`/exports/codes/${vouchers.id}`)).text).toBe(file.text)
    expect(await words(`/console/codes/${vouchers.id}`)).toContain('Uses left 1')
    await owner.post(`/codes/${vouchers.id}/revoke`, { why: 'leaked' })
    expect(await words(`/console/codes/${vouchers.id}`)).toContain('Uses left 0')
  })
})
