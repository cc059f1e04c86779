// Bank statements as other programs write them: no line of them grants a plan for money that did not come.
import { transferFile } from '../../../../test/support/config-files.js'
import { enterConsole } from '../../../../test/support/console.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { wordsOf } from '../../../../test/support/portal.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { orderToPay, sendBankStatement } from '../../../../test/support/transfers.js'

const KEY = ROLE_KEYS.accountant
const ENV = { TRANSFER_FILE: transferFile() }

const HEAD = 'Date;Libellé;Débit;Crédit\n'

describeWorld('a bank statement of another program', { env: ENV }, ({ world }) => {
  const accountant = operatorOf(world, KEY)
  const order = (userId: string) => orderToPay(world, userId)
  const send = (file: string | Uint8Array, query = '') => sendBankStatement(world, KEY, file, query)
  const approve = async (id: string, more: object = {}) =>
    (await accountant.post(`/bank-statements/${id}/approve`, { why: 'on the statement', ...more })).body
  const planOf = async (userId: string) => (await world.as(userId).get('/api/v1/billing/status')).body.plan
  const inbox = async () =>
    (await accountant.get('/inbox')).body.data.filter(
      ({ kind }: { kind: string }) => kind === 'money_returned',
    )

  it('grants what the operator chose all the same', async () => {
    const { id, reference } = await order('u1')
    const rows = `21/11/2026;VIR ${reference};2 000,00;1\n21/11/2026;X;5,00;2\n`
    const { body } = await send(`Date;Libellé;Crédit;Zone\n${rows}`)
    expect(body.data[0].match).toMatchObject({
      kind: 'to_choose',
      candidates: [{ differs: ['other_column'] }],
    })
    await approve(body.statement_id, { lines: [{ line: body.data[0].id, payment_id: id }] })
    expect(await planOf('u1')).toBe('pro')
  })

  it('tells of money that went out again after its payment was approved, until it is refunded', async () => {
    const { id, reference } = await order('u1')
    const first = await send(`${HEAD}21/11/2026;VIR ${reference};;2 000,00\n`)
    await approve(first.body.statement_id)
    expect(await planOf('u1')).toBe('pro')
    const later = await send(
      `${HEAD}21/11/2026;EXTOURNE ${reference};2 000,00;\n21/11/2026;LOYER;9 000,00;\n`,
    )
    expect(later.body.data).toMatchObject([{ state: 'returned', amount: -2_000, match: null }])
    expect(await inbox()).toMatchObject([
      { payment_id: id, user_id: 'u1', amount: 2_000, detail: '2026-11-21' },
    ])
    const visit = await enterConsole(world, KEY)
    const page = wordsOf((await visit.open('/console')).text)
    expect(page).toContain('Money of an approved transfer went out again')
    expect(wordsOf((await visit.open('/console/bank-statements')).text)).toContain(
      'Money that went out again',
    )
    const owner = operatorOf(world, ROLE_KEYS.owner)
    const refunded = await owner.post(`/payments/${id}/refund`, { why: 'the bank took it back' })
    expect(refunded.status).toBe(200)
    expect(await inbox()).toEqual([])
  })

  it('tells of it until an operator sets the line aside; opened again, it is what it was', async () => {
    const { reference } = await order('u1')
    await approve((await send(`${HEAD}21/11/2026;VIR ${reference};;2 000,00\n`)).body.statement_id)
    const { body } = await send(`${HEAD}21/11/2026;FRAIS ${reference};50,00;\n`)
    const line = `/bank-lines/${body.data[0].id}`
    expect((await accountant.post(`${line}/mark-payout`, { why: 'x' })).status).toBe(409)
    expect((await accountant.post(`${line}/set-aside`, { why: 'a fee' })).body.state).toBe('set_aside')
    expect((await accountant.post(`${line}/mark-payout`, { why: 'x' })).status).toBe(409)
    expect(await inbox()).toEqual([])
    expect((await accountant.post(`${line}/reopen`, { why: 'x' })).body.state).toBe('returned')
    expect(await inbox()).toHaveLength(1)
  })

  it('is read anew by what the operator says, and so are later ones with the same headings', async () => {
    const { reference } = await order('u1')
    const rows = `21/11/2026;VIR ${reference};2 000,00;Oran\n21/11/2026;X;5,00;Alger\n`
    const file = `Date;Libellé;Crédit;Zone\n${rows}`
    expect((await send(file)).body.counts.sure).toBe(0)
    // Statements of one instant have no order.
    world.clock.advance(1_000)
    expect((await send(file, '&text=2,4')).body.counts).toMatchObject({ sure: 1 })
    expect((await send(file)).body).toMatchObject({ form: { text: '2,4' }, counts: { sure: 1 } })
    const { data: statements } = (await accountant.get('/bank-statements')).body
    for (const { statement_id: id } of statements)
      expect((await accountant.post(`/bank-statements/${id}/withdraw`, { why: 'read wrongly' })).status).toBe(
        200,
      )
    expect((await send(file)).body).toMatchObject({ form: { text: '2' }, counts: { sure: 0 } })
  })

  it('shows how it was read before anything is approved', async () => {
    const rows = '21/11/2026;VIR;2 000,00;1\nTotal;;2 001,00;\n22/11/2026;Y;5,00;2\n'
    const { body } = await send(`Date;Libellé;Crédit;Zone\n${rows}`)
    expect(body.form).toMatchObject({
      ...{ direction: 'in', headings: ['Date', 'Libellé', 'Crédit', 'Zone'], telling: [4] },
      ...{ left_out: 1, left_out_rows: [3] },
    })
    const visit = await enterConsole(world, KEY)
    const page = wordsOf((await visit.open(`/console/bank-statements/${body.statement_id}`)).text)
    const [read = '', rest = ''] = page.split(/(?= Sure )/)
    expect(read).toContain(
      'Date: day Libellé: text Crédit: amount Zone: not understood 21/11/2026 VIR 2 000,00 1',
    )
    expect(read).toContain('not understood: Zone.')
    expect(read).toContain('with “2,4” in “Columns of the text”')
    expect(read).toContain('each amount is money in')
    expect(read).toContain('Rows without a day, such as sums 1 (3)')
    expect(rest).toContain('No line is sure.')
  })

  it('of many lines is there as a whole once it is answered; of too many, not at all', async () => {
    const { reference } = await order('u1')
    const rows = Array.from({ length: 4_000 }, (_, at) => `20/11/2026;CLIENT ${at};;${at + 1},00\n`)
    const file = (count: number) =>
      `${HEAD}21/11/2026;VIR ${reference};;2 000,00\n${rows.slice(0, count).join('')}`
    expect(await send(file(4_000))).toMatchObject({
      ...{ status: 422, body: { code: 'file_not_accepted', reason: 'too_many_rows', most: 4_000 } },
    })
    expect((await accountant.get('/bank-lines')).body.data).toEqual([])
    const { status, body } = await send(file(1_000))
    expect([status, body.lines, body.counts.sure]).toEqual([200, 1_001, 1])
    const visit = await enterConsole(world, KEY)
    expect((await visit.open(`/console/bank-statements/${body.statement_id}`)).status).toBe(200)
    expect(await approve(body.statement_id)).toMatchObject({ results: [{ outcome: 'approved' }], left: 0 })
  })
})
