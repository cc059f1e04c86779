import { expect, it } from 'vitest'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { enterPortal, wordsOf } from '../../../../test/support/portal.js'

const BUYER = '/api/v1/billing/buyer'
const PAGE = '/portal/buyer'

describeWorld('the buyer’s page of the portal', {}, ({ world }) => {
  it('is led to from the first page, and takes what is typed', async () => {
    const visit = await enterPortal(world, 'atlas')
    expect((await visit.open()).text).toContain(`href="${world.base}${PAGE}"`)
    expect((await visit.open(PAGE)).text).toContain('<option value="company" selected>')
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
