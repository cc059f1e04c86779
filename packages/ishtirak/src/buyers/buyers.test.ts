import { enterConsole } from '../../../../test/support/console.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { anEntry } from '../../../../test/support/fixtures.js'
import { OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import { enterPortal, wordsOf } from '../../../../test/support/portal.js'
import { setProfile } from '../../../../test/support/profile.js'
import { sql } from '../../../../test/support/sql.js'
import { tokenOf } from '../../../../test/support/world.js'
import { loadUser } from '../ledger/load.js'
import { saveBuyer } from './buyers.sql.js'
import { setBuyer } from './set-buyer.js'

const BUYER = '/api/v1/billing/buyer'
const ATLAS = {
  ...{ kind: 'company' as const, name: 'SARL Atlas', address: '12, rue Didouche Mourad, Alger' },
  ...{ rc: '16/00-0123456 B 20', nif: '000 216 001 808 337', nis: '000216180833713', ai: '16012345678' },
  ...{ legal_form: 'SARL', capital: '1 000 000,00 DA', phone: '0555 12 34 56', email: 'compta@atlas.dz' },
}
const NOTHING = { ...Object.fromEntries(Object.keys(ATLAS).map((field) => [field, null])) }
const NO_BUYER = { ...NOTHING, complete: false, missing: ['kind'] }

const selectTrail = sql(`select actor, act, reason, before, after, asked from audit
    where user_id = 'atlas' and act <> 'operator.refused' order by act, actor, id`)
const selectVersion = sql(`select version from users where user_id = 'atlas'`)

describeWorld('the details of a buyer', {}, ({ world, database }) => {
  const put = async (body: object, claims: object = {}) => {
    const authorization = `Bearer ${await tokenOf({ sub: 'atlas', ...claims })}`
    return world.call('PUT', BUYER, { body, headers: { authorization } })
  }
  const trail = () => database().query(selectTrail)
  const version = async () => (await database().query(selectVersion))[0]?.version

  it('are kept as they were typed, and say what an invoice lacks', async () => {
    expect((await world.as('atlas').get(BUYER)).body).toEqual(NO_BUYER)
    const set = await put(ATLAS)
    expect([set.status, set.body]).toEqual([200, { ...ATLAS, complete: true, missing: [] }])
    expect((await world.as('atlas').get(BUYER)).body).toEqual(set.body)
    const { kind, name } = ATLAS
    const less = (await put({ kind, name, nif: null, phone: ' ' })).body
    expect(less).toEqual({
      ...{ ...NOTHING, kind, name, complete: false },
      missing: ['address', 'rc', 'nif', 'nis', 'ai', 'legal_form'],
    })
    expect((await world.as('another').get(BUYER)).body).toEqual(NO_BUYER)
  })

  it('are refused with each wrong field, and then nothing changes', async () => {
    await put(ATLAS)
    const before = await trail()
    const wrong = await put({ ...ATLAS, nif: '12', nis: 'x', email: 'atlas', name: 'n'.repeat(121) })
    expect([wrong.status, wrong.body.code]).toEqual([422, 'validation_failed'])
    expect(wrong.body.errors.map((one: object) => Object(one).pointer)).toEqual([
      ...['/name', '/nif', '/nis', '/email'],
    ])
    expect((await world.as('atlas').get(BUYER)).body.nif).toBe(ATLAS.nif)
    expect(await trail()).toEqual(before)
  })

  it('stand in the trail with what changed, once, by the person who changed it', async () => {
    await put({ kind: 'person', name: 'Lina' })
    await put({ kind: 'person', name: 'Lina' })
    await put({ kind: 'person', name: 'Lina', address: 'Oran' }, { sub: 'lina', account: 'atlas' })
    const own = { act: 'user.buyer', reason: null, asked: null }
    expect(await trail()).toEqual([
      {
        ...{ ...own, actor: 'atlas', before: { kind: null, name: null } },
        after: { kind: 'person', name: 'Lina' },
      },
      { ...own, actor: 'lina', before: { address: null }, after: { address: 'Oran' } },
    ])
    expect(await version()).toBe(2)
  })

  it('are for owners to change, and for all to read', async () => {
    await put(ATLAS)
    for (const role of ['payer', 'reader']) {
      const claims = { sub: 'lina', account: 'atlas', billing_role: role }
      const { status, body } = await put({ kind: 'person' }, claims)
      expect([role, status, body.code]).toEqual([role, 403, 'forbidden'])
      expect((await world.as('lina', claims).get(BUYER)).body.name).toBe(ATLAS.name)
    }
    expect((await world.as('atlas').get(BUYER)).body.kind).toBe('company')
  })

  it('are saved on the facts that they were decided on alone', async () => {
    await put(ATLAS)
    const { parts } = world.service
    const { version: seen, buyer } = await loadUser(parts, 'atlas')
    if (!buyer) throw new Error('there is none')
    const change = { userId: 'atlas', version: seen - 1, buyer: { ...buyer, name: 'Other' } }
    const audit = anEntry('act_x', 'user.buyer')
    expect(await saveBuyer(database(), { ...change, audit }, world.clock.now())).toBe('stale')
    expect((await world.as('atlas').get(BUYER)).body.name).toBe(ATLAS.name)
    const many = Array.from({ length: 8 }, (_, index) =>
      setBuyer(parts, { userId: 'atlas' }, { kind: 'person', name: `Lina ${index}` }),
    )
    await Promise.all(many)
    expect(await trail()).toHaveLength(9)
    expect(await version()).toBe(9)
  })

  it('are in everything known of a user, and corrected by an operator once', async () => {
    await put(ATLAS)
    const operator = operatorOf(world)
    expect((await operator.get('/users/atlas')).body.buyer).toMatchObject({ name: ATLAS.name })
    const path = '/users/atlas/correct-buyer'
    const asked = { ...ATLAS, nif: '000216001808330', why: 'she called', operation_id: 'ticket-1' }
    const { why: _, operation_id: __, ...previewed } = asked
    const preview = await operator.post(`${path}/preview`, previewed)
    expect(preview.body.changes).toMatchObject([{ what: 'buyer_nif', before: ATLAS.nif, after: asked.nif }])
    expect((await operator.post(path, { ...asked, nif: '1' })).body.errors).toMatchObject([
      { pointer: '/nif' },
    ])
    const visit = await enterConsole(world, OPERATOR_KEY)
    const { text } = await visit.open(`/console${path}?${new URLSearchParams(previewed)}`)
    expect(wordsOf(text)).toContain('Tax identification number (NIF)')
    expect(text).not.toContain('buyer_')
    const { status, body } = await operator.post(path, asked)
    expect([status, body.buyer.nif]).toEqual([200, asked.nif])
    expect((await operator.post(path, asked)).status).toBe(200)
    expect((await operator.post(path, { ...asked, nif: ATLAS.nif })).status).toBe(409)
    const [, last, ...more] = await trail()
    expect(more).toEqual([])
    expect(last).toMatchObject({
      ...{ actor: 'amina', act: 'user.correct_buyer', reason: 'she called' },
      ...{ before: { nif: ATLAS.nif }, after: { nif: asked.nif } },
    })
    expect(JSON.stringify(last?.asked)).not.toMatch(/Atlas|0002160018/)
  })
})

const PAGE = '/portal/buyer'

describeWorld('the buyer’s page of the portal', {}, ({ world }) => {
  it('is led to from the first page, and takes what is typed', async () => {
    const visit = await enterPortal(world, 'atlas')
    expect((await visit.open()).text).toContain(`href="${world.base}${PAGE}"`)
    await setProfile(world, 'atlas', { name: 'Lina Atlas', email: 'lina@example.dz' })
    const empty = (await (await enterPortal(world, 'atlas')).open(PAGE)).text
    for (const part of ['<option value="person" selected>', 'value="Lina Atlas"', 'value="lina@example.dz"'])
      expect(empty).toContain(part)
    const fields = { kind: 'company', name: ' SARL  Atlas ', nif: '000 216 001 808 337' }
    const sent = await visit.submit(PAGE, fields)
    expect([sent.status, sent.headers.get('location')]).toEqual([303, `${world.base}${PAGE}?saved=yes`])
    const { text } = await visit.open(`${PAGE}?saved=yes`)
    expect(text).toContain('name="name" value="SARL Atlas"')
    expect(wordsOf(text)).toContain('Saved An invoice still needs: Address, Trade register number (RC)')
    await visit.submit(PAGE, { kind: 'person', name: 'Lina', address: 'Oran' })
    const whole = await visit.open(`${PAGE}?saved=yes`)
    expect(wordsOf(whole.text)).toContain('Saved Your next invoices name these details.')
    await visit.submit(PAGE, fields)
    expect((await world.as('atlas').get(BUYER)).body).toMatchObject({ name: 'SARL Atlas', rc: null })
  })

  it('says which field is wrong, with all that was typed still there', async () => {
    const visit = await enterPortal(world, 'atlas')
    const sent = await visit.submit(PAGE, { kind: 'person', name: 'Lina "<b>"', nif: '12', email: 'x' })
    expect([sent.status, wordsOf(sent.text)]).toEqual([422, expect.stringContaining('The NIF has 15 digits')])
    expect(sent.text).toMatch(/value="Lina &#34;.{1,4}b>&#34;"/)
    expect(sent.text.match(/aria-invalid="true"/g)).toHaveLength(2)
    expect(sent.text).toMatch(/<option value="person" selected/)
    expect((await world.as('atlas').get(BUYER)).body.kind).toBeNull()
  })

  it('shows payers and readers the details, and takes none of theirs', async () => {
    const owner = await enterPortal(world, 'atlas')
    await owner.submit(PAGE, { kind: 'person', name: 'Lina' })
    for (const role of ['payer', 'reader']) {
      const claims = { account: 'atlas', billing_role: role }
      const visit = await enterPortal(world, world.as('karim', claims))
      const { text } = await visit.open(PAGE)
      expect(wordsOf(text)).toContain('Who buys Person Name or company name Lina')
      expect(text).not.toMatch(/<input type="text"|<select/)
      expect((await visit.submit(PAGE, { kind: 'person', name: 'Karim' })).status).toBe(403)
    }
    expect((await world.as('atlas').get(BUYER)).body.name).toBe('Lina')
  })
})
