import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { enterConsole } from '../../../../test/support/console.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import { enterPortal, wordsOf } from '../../../../test/support/portal.js'
import { COMPANY } from '../../../../test/support/receipt.js'
import { PLANS_FILE, TRANSFER_FILE } from '../../../../test/support/setting-files.js'
import { sql } from '../../../../test/support/sql.js'
import { temporaryFolder } from '../../../../test/support/temporary-folder.js'
import { setBuyer } from '../buyers/set-buyer.js'

const API = '/api/v1/billing'
const DAY = 86_400
const ENV = { PLANS_FILE, TRANSFER_FILE }

const selectNumbers = sql(`select array_agg(p.number order by p.number) as numbers, max(s.last_number) as last
     from proformas p join document_series s using (series)`)
const turn = sql(`update proformas set snapshot = snapshot || '{"live": true}'`)
const forget = sql('delete from proformas')
const copy = sql(`insert into proformas
  select user_id, series, number + n, issued_at, request_digest || n, agreed, snapshot, ordered_as
    from proformas, generate_series(1, 120) n`)

describeWorld('a proforma', { env: ENV }, ({ world, database, beside }) => {
  beforeEach(() => named('user-1'))

  const named = (userId: string, changes = {}) =>
    setBuyer(world.service.parts, { userId }, { ...COMPANY, ...changes })
  const user = (userId = 'user-1') => world.as(userId)
  const make = (query = '', userId = 'user-1', plan = 'pro') =>
    user(userId).get(`${API}/proforma?plan=${plan}${query}`)
  const numberOf = async (query = '', userId = 'user-1', plan = 'pro') => {
    const { status, headers, text } = await make(query, userId, plan)
    if (status !== 200) throw new Error(text)
    return /proformas\/(.+)$/.exec(headers.get('content-location') ?? '')?.[1] ?? ''
  }
  const open = async () => (await user().get(`${API}/proformas`)).body.proformas
  const order = (number: string, userId = 'user-1') =>
    user(userId).post(`${API}/proformas/${number}/payments`, {})
  const approve = (id: string, amount: number) => {
    const received_at = new Date(world.clock.now()).toISOString().slice(0, 10)
    const came = { amount, received_at, payment_method: 'ccp', why: 'it came' }
    return operatorOf(world).post(`/payments/${id}/approve`, came)
  }
  const documentsOf = async (paymentId: string) =>
    (await user().get(`${API}/payments/${paymentId}/documents`)).body.documents

  /** The shop continues with higher prices. */
  const dearer = async () => {
    const folder = temporaryFolder()
    const file = path.join(folder, 'dearer.json')
    await writeFile(file, (await readFile(PLANS_FILE, 'utf8')).replace('"price": 20000', '"price": 22000'))
    return beside({ env: { ...ENV, PLANS_FILE: file } })
  }

  it('is listed among the newest hundred', async () => {
    await make()
    await database().query(copy)
    const listed = await open()
    expect(listed).toHaveLength(100)
    expect(listed[0].number).toBe('TEST-P-2026-000121')
  })

  it('is the same all day for the same wish of the same buyer, and a new one for anything else', async () => {
    const { headers } = await make('&months=12&lang=fr')
    expect(headers.get('content-type')).toBe('application/pdf')
    expect(headers.get('content-disposition')).toContain('proforma-TEST-P-2026-000001.pdf')
    const shown = { number: 'TEST-P-2026-000001', plan: 'pro', months: 12, amount: 20_000, currency: 'DZD' }
    const days = { issued_on: '2026-11-21', valid_until: '2026-12-06', po_number: null }
    expect(await open()).toEqual([{ ...shown, ...days }])
    expect(await numberOf('&months=12&lang=en')).toBe('TEST-P-2026-000001')
    expect(await numberOf('&months=12&po_number=BC-7')).toBe('TEST-P-2026-000002')
    expect(await numberOf('&months=6')).toBe('TEST-P-2026-000003')
    await named('user-1', { address: '3 bd Zighout Youcef, Alger' })
    expect(await numberOf('&months=12')).toBe('TEST-P-2026-000004')
    await world.advance(DAY)
    expect(await numberOf('&months=12')).toBe('TEST-P-2026-000005')
    expect((await open()).map(({ number }: { number: string }) => number.slice(-1)).join('')).toBe('54321')
  })

  it('draws one number for each, without a gap, however many ask at once', async () => {
    for (let place = 0; place < 5; place++) await named(`company-${place}`)
    const asked = [...Array(5)].flatMap((_, place) =>
      [...Array(8)].map((_, of) => numberOf(`&po_number=BC-${of % 4}`, `company-${place}`)),
    )
    expect(new Set(await Promise.all(asked)).size).toBe(20)
    const [row] = await database().query(selectNumbers)
    expect(row).toEqual({ numbers: [...Array(20)].map((_, place) => place + 1), last: 20 })
  })

  it('is ordered at its price when the catalogue has another, and the invoice names the order', async () => {
    const number = await numberOf('&months=12&po_number=BC-7')
    const after = await dearer()
    const caller = after.as('user-1')
    const quoted = await caller.get(`${API}/quote?plan=pro&months=12`)
    expect(quoted.body.amount).toBe(22_000)
    const ordered = await caller.post(`${API}/proformas/${number}/payments`, {})
    const { id } = ordered.body
    const asked = { amount: 20_000, months: 12, method: 'transfer' }
    expect([ordered.status, ordered.body]).toMatchObject([201, asked])
    expect((await caller.post(`${API}/proformas/${number}/payments`, {})).body.id).toBe(id)
    expect((await approve(id, 20_000)).status).toBe(200)
    const invoice = { kind: 'invoice', number: 'TEST-F-2026-000001', po_number: 'BC-7' }
    expect(await documentsOf(id)).toMatchObject([invoice])
    // It is paid, so the next wish for the same gets a new one.
    expect(await open()).toEqual([])
    expect((await order(number)).body.code).toBe('proforma_not_valid')
    expect(await numberOf('&months=12&po_number=BC-7')).toBe('TEST-P-2026-000002')
    await operatorOf(world).post(`/payments/${id}/refund`, { why: 'asked for by the customer' })
    expect(await documentsOf(id)).toMatchObject([
      { kind: 'invoice' },
      { kind: 'credit_note', po_number: 'BC-7' },
    ])
  })

  it('takes the place of a transfer at another price or for another order', async () => {
    const caller = (await dearer()).as('user-1')
    const without = await numberOf('&months=12')
    const waiting = await caller.post(`${API}/payments`, { plan: 'pro', months: 12, method: 'transfer' })
    expect(waiting.body.amount).toBe(22_000)
    const first = (await order(without)).body
    expect([first.amount, first.id === waiting.body.id]).toEqual([20_000, false])
    const second = (await order(await numberOf('&months=12&po_number=BC-7'))).body
    expect(second.id).not.toBe(first.id)
    // An order without a purchase order number keeps a transfer that may be under way.
    expect((await order(without)).body.id).toBe(second.id)
  })

  it('holds to the end of its fifteenth day, and is not found by another user', async () => {
    const number = await numberOf()
    // Half past eleven at night in Algiers.
    await world.advance(15 * DAY + 10.5 * 3_600)
    expect(await open()).toHaveLength(1)
    const { id } = (await order(number)).body
    expect(id).toMatch(/^pay_/)
    await named('user-2')
    expect((await order(number, 'user-2')).status).toBe(404)
    expect((await user('user-2').get(`${API}/proformas/${number}`)).status).toBe(404)
    await world.advance(3_600)
    expect(await open()).toEqual([])
    const late = await order(number)
    expect([late.status, late.body.code]).toEqual([409, 'proforma_not_valid'])
    expect((await user().get(`${API}/proformas/${number}`)).status).toBe(200)
  })

  it('of a change holds its price while the time that changes is the same', async () => {
    const { paymentId } = await user().buy()
    const change = await user().get(`${API}/proforma?plan=team&start=now`)
    expect(change.status).toBe(200)
    const [{ number, amount, months }] = await open()
    expect([months, amount]).toEqual([null, 7000])
    await world.advance(5 * DAY)
    expect((await user().get(`${API}/quote?plan=team&start=now`)).body.amount).toBeLessThan(6_000)
    const ordered = (await order(number)).body
    expect(ordered).toMatchObject({ kind: 'change', plan: 'team', amount: 7000 })
    expect((await order(number)).body.id).toBe(ordered.id)
    const approved = await approve(ordered.id, 7000)
    expect([approved.status, approved.text]).toEqual([200, expect.anything()])
    expect((await user().get(`${API}/status`)).body.plan).toBe('team')
    expect((await order(number)).body.code).toBe('proforma_not_valid')
    expect(await documentsOf(paymentId)).toHaveLength(1)
  })

  it('of a change is another one on the same day, once the time that changes is another', async () => {
    await user().buy()
    const change = () => numberOf('&start=now', 'user-1', 'team')
    const before = await change()
    expect(await change()).toBe(before)
    await user().buyWanted({ plan: 'pro' })
    expect((await order(before)).body.code).toBe('proforma_not_valid')
    const after = await change()
    expect(after).not.toBe(before)
    expect((await order(after)).body).toMatchObject({ kind: 'change', amount: 14_000 })
    for (const { id } of (await user().get(`${API}/payments?status=paid`)).body.data)
      await operatorOf(world).post(`/payments/${id}/refund`, { why: 'asked for by the customer' })
    expect((await make('&start=now', 'user-1', 'team')).body.code).toBe('no_dearer_plan')
  })

  it('of a change takes the place of a transfer for time that is gone, at the same price too', async () => {
    const first = await user().buy()
    const gone = (await user().post(`${API}/payments`, { plan: 'team', start: 'now', method: 'transfer' }))
      .body
    await operatorOf(world).post(`/payments/${first.paymentId}/refund`, { why: 'asked for by the customer' })
    await user().buy()
    const ordered = (await order(await numberOf('&start=now', 'user-1', 'team'))).body
    expect([gone.amount, ordered.amount, ordered.id === gone.id]).toEqual([7_000, 7_000, false])
  })

  it('is refused where no invoice could be made out, nothing is sold, or no transfer taken', async () => {
    await named('user-2', { nif: null })
    const incomplete = await make('', 'user-2')
    const lacks = { code: 'buyer_incomplete', missing: ['nif'] }
    expect([incomplete.status, incomplete.body]).toMatchObject([409, lacks])
    expect((await make('', 'never-seen')).body.code).toBe('buyer_incomplete')
    const REFUSED = {
      'plan=free': 'plan_not_purchasable',
      'plan=none': 'unknown_plan',
      'plan=pro&months=7': 'unknown_term',
      'plan=pro&start=now': 'no_dearer_plan',
      'plan=team&start=now&months=3': 'validation_failed',
    }
    for (const [query, code] of Object.entries(REFUSED))
      expect((await user().get(`${API}/proforma?${query}`)).body.code).toBe(code)
    for (const po of ['', ' BC', 'a\u202eb', 'x'.repeat(41), '<b>', 'a\nb'])
      expect((await make(`&po_number=${encodeURIComponent(po)}`)).status).toBe(422)
    const cards = await beside({ env: { PLANS_FILE } })
    const answer = await cards.as('user-1').get(`${API}/proforma?plan=pro`)
    expect(answer.body.code).toBe('unknown_method')
    expect(await database().query(forget)).toEqual([])
  })

  it('may be read by who may not order it', async () => {
    const reader = world.as('lina', { account: 'user-1', billing_role: 'reader' })
    expect((await reader.get(`${API}/proforma?plan=pro`)).status).toBe(200)
    const refused = await reader.post(`${API}/proformas/TEST-P-2026-000001/payments`, {})
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
  })

  it('is made and ordered in the portal, without a script', async () => {
    const stranger = await enterPortal(world, 'user-3', 'fr')
    // The details of the buyer have to be whole first.
    expect((await stranger.open('/portal/proformas')).status).toBe(404)
    const visit = await enterPortal(world, 'user-1', 'fr')
    expect(wordsOf((await visit.open()).text)).toContain('Factures proforma')
    const page = await visit.open('/portal/proformas')
    expect(wordsOf(page.text)).toContain('Pro · 12 mois')
    const wrong = await visit.submit('/portal/proformas', { offer: '12 pro', po_number: '<b>' })
    expect([wrong.status, wordsOf(wrong.text)]).toEqual([422, expect.stringContaining('40 au plus')])
    const made = await visit.submit('/portal/proformas', { offer: '12 pro', po_number: ' BC-7 ' })
    expect(made.status).toBe(303)
    const shown = wordsOf((await visit.open('/portal/proformas')).text)
    for (const part of ['TEST-P-2026-000001', 'BC-7', 'Prix valable jusqu’au 6 décembre 2026'])
      expect(shown).toContain(part)
    await visit.submit('/portal/proformas/TEST-P-2026-000001/transfer', {})
    expect(wordsOf((await visit.open()).text)).toContain('Votre virement')
    const [payment] = (await user().get(`${API}/payments`)).body.data
    expect(payment).toMatchObject({ amount: 20_000, status: 'pending', method: 'transfer' })
  })

  it('of test mode is not ordered for real money', async () => {
    const number = await numberOf()
    await database().query(turn, [])
    expect((await order(number)).body.code).toBe('proforma_not_valid')
    expect(await open()).toEqual([])
  })

  it('leads an operator to its account, by its number', async () => {
    const number = await numberOf()
    for (const typed of [number, number.toLowerCase(), number.replace('TEST-', '')])
      expect((await operatorOf(world).get(`/search?q=${typed}`)).body.users).toMatchObject([
        { user_id: 'user-1', exact: true },
      ])
  })

  it('a purchase by card bears the number of the order too', async () => {
    const asked = await user().post(`${API}/payments`, { plan: 'pro', po_number: 'BC-9' })
    await world.pay(asked.body.checkout_url)
    expect(await documentsOf(asked.body.id)).toMatchObject([{ kind: 'invoice', po_number: 'BC-9' }])
    const console = await enterConsole(world, OPERATOR_KEY)
    const { text } = await console.open(`/console/payments/${asked.body.id}`)
    expect(wordsOf(text)).toContain('Purchase order BC-9')
  })
})
