// Bank statements beside transfers: what is sure is approved by one confirmation, each by its own act; what
// is known stays known; what has no other side is listed. On both databases.
import { transferFile } from '../../../../test/support/config-files.js'
import { enterConsole } from '../../../../test/support/console.js'
import { describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { wordsOf } from '../../../../test/support/portal.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { sql } from '../../../../test/support/sql.js'
import { orderToPay, sendBankStatement } from '../../../../test/support/transfers.js'

const KEY = ROLE_KEYS.accountant
const ONE = transferFile()
const TWO = transferFile({ second_approval_from: 2_000 })

const selectActs = sql(
  `select actor, act, reason, asked, after::text as after from audit order by acted_at, id`,
)
const selectLines = sql('select state, count(*) as lines from bank_lines group by state order by state')

const HEAD = 'Date;Libellé;Débit;Crédit\r\n'
const amountOf = (dinars: number) => `${dinars.toLocaleString('fr-FR').replace(/\s/g, ' ')},00`

describeWorldOnEach('bank statements', { env: { TRANSFER_FILE: ONE } }, ({ database, world, restart }) => {
  const accountant = operatorOf(world, KEY)
  const owner = operatorOf(world, ROLE_KEYS.owner)
  const order = (userId: string) => orderToPay(world, userId)
  const send = (file: string | Uint8Array, query = '') => sendBankStatement(world, KEY, file, query)
  const lines = async () =>
    Object.fromEntries((await database().query(selectLines)).map((row) => [row.state, row.lines]))

  it('say what the provider paid out in a month beside what came, also after its closing', async () => {
    const paidOut = async (month: string) =>
      (await accountant.get(`/months/${month}`)).body.paid_out_by_provider
    await world.as('u1').buy()
    await world.as('u2').buy()
    expect(await paidOut('2026-11')).toEqual({ count: 0, amount: 0, came: 4_000, difference: -4_000 })
    const payouts = ['30/10/2026;VIR CHARGILY PAY 1;;900,00', '01/11/2026;VIR CHARGILY PAY 2;;1 500,50']
    await send(`${HEAD}${[...payouts, '30/11/2026;VIR CHARGILY PAY 3;;2 400,00'].join('\r\n')}\r\n`)
    const november = { count: 2, amount: 3_900.5, came: 4_000, difference: -99.5 }
    expect(await paidOut('2026-11')).toEqual(november)
    expect(await paidOut('2026-10')).toEqual({ count: 1, amount: 900, came: 0, difference: 900 })
    world.clock.advance(20 * 86_400_000)
    expect((await accountant.post('/months/2026-11/close', {})).status).toBe(200)
    await send(`${HEAD}29/11/2026;VIR CHARGILY PAY 4;;99,50\r\n`)
    expect(await paidOut('2026-11')).toEqual({ ...november, count: 3, amount: 4_000, difference: 0 })
  })

  it('approve what is sure by one confirmation, each as its own act', async () => {
    const orders = await Promise.all(['u1', 'u2', 'u3'].map((userId) => order(userId)))
    const [one, two, three] = orders
    if (!one || !two || !three) throw new Error('three were ordered')
    const near = `${three.reference.slice(0, -1)}${three.reference.endsWith('2') ? '3' : '2'}`
    const csv = [
      `21/11/2026;VIREMENT ${one.reference.toLowerCase()};;${amountOf(one.amount)}`,
      `21/11/2026;VIR ${two.reference.replaceAll('-', ' ')} POUR ABONNEMENT;;${amountOf(two.amount)}`,
      `21/11/2026;VIR ${near};;${amountOf(three.amount)}`,
      '21/11/2026;FRAIS DE TENUE;350,00;',
      '21/11/2026;CHARGILY PAYOUT 771;;18 250,50',
      '21/11/2026;LOYER;;77 777,00',
    ].join('\r\n')
    const read = await send(HEAD + csv)
    expect(read.status).toBe(200)
    expect(read.body).toMatchObject({
      account: 'ccp',
      lines: 5,
      counts: { sure: 2, to_choose: 1, unknown: 1, approved: 0, payout: 1, set_aside: 0 },
      to_approve: { count: 2, amount: one.amount + two.amount },
      form: { delimiter: 'semicolon', date: '1', amount: '4', text: '2', day_order: 'dmy', decimal: ',' },
    })
    expect(read.body.data[2]).toMatchObject({
      match: {
        kind: 'to_choose',
        candidates: [{ payment_id: three.id, why: 'reference_near', differs: [] }],
      },
    })
    expect(read.body.data[3]).toMatchObject({ state: 'payout', amount: 18_250.5, match: null })
    const id = read.body.statement_id
    const approve = () =>
      accountant.post(`/bank-statements/${id}/approve`, { why: 'relevé', operation_id: 'a' })
    const [approved, atOnce] = await Promise.all([approve(), approve()])
    expect(approved.body).toEqual({
      statement_id: id,
      left: 0,
      results: [one, two].map((of, at) => ({
        ...{ line: read.body.data[at].id, payment_id: of.id },
        ...{ outcome: 'approved', code: null },
      })),
    })
    // The same sending is answered the same.
    for (const { body } of [atOnce, await approve()]) expect(body).toEqual(approved.body)
    const acts = await database().query(selectActs)
    const approvals = ['payment.approve', 'payment.approve', 'statement.approve', 'statement.approved']
    expect(acts.map(({ act }) => act).sort()).toEqual([...approvals, 'statement.import'])
    expect(acts.find(({ act }) => act === 'payment.approve')).toMatchObject({
      reason: 'relevé',
      asked: { received_at: '2026-11-21', payment_method: 'ccp' },
    })
    expect(acts.map(({ after }) => after).join()).not.toMatch(/VIREMENT|LOYER/)
    expect(await lines()).toEqual({ approved: 2, open: 2, payout: 1 })
    // A chosen one.
    const chosen = { lines: [{ line: read.body.data[2].id, payment_id: three.id }], why: 'a typing error' }
    const then = await accountant.post(`/bank-statements/${id}/approve`, chosen)
    expect(then.body.results).toMatchObject([{ outcome: 'approved' }])
    expect((await accountant.get(`/bank-statements/${id}`)).body.counts).toMatchObject({
      approved: 3,
      unknown: 1,
    })
    const { data } = (await accountant.get('/bank-lines')).body
    expect(data).toMatchObject([
      { text: 'LOYER', amount: 77_777, match: { kind: 'unknown', candidates: [] } },
    ])
    const act = (name: string) => accountant.post(`/bank-lines/${data[0].id}/${name}`, { why: 'x' })
    expect((await act('set-aside')).status).toBe(200)
    expect((await accountant.get('/bank-lines')).body.data).toEqual([])
    expect((await act('reopen')).body.state).toBe('open')
    expect((await act('mark-payout')).body.state).toBe('payout')
    const paying = `/bank-lines/${read.body.data[0].id}/set-aside`
    expect((await accountant.post(paying, { why: 'x' })).status).toBe(409)
  })

  it('know a line again, in the same file, an overlapping one and in two processes at once', async () => {
    const line = (day: number, text: string) => `${day}/11/2026;${text};;2000,00\n`
    const first = HEAD + line(18, 'A') + line(19, 'B') + line(19, 'B')
    const sent = await Promise.all([send(first), send(first)])
    expect(sent.map(({ status }) => status)).toEqual([200, 200])
    expect(await lines()).toEqual({ open: 3 })
    const other = await send(`${HEAD}${line(19, ' b  ')}${line(19, 'b')}${line(19, 'B')}${line(20, 'C')}`)
    expect(other.body.data).toHaveLength(4)
    expect(await lines()).toEqual({ open: 5 })
    expect((await accountant.get('/bank-statements')).body.data).toHaveLength(3)
    const page = await accountant.get('/bank-statements?limit=2')
    const next = await accountant.get(`/bank-statements?limit=2&cursor=${page.body.next_cursor}`)
    expect([page.body.data.length, next.body.data.length, next.body.next_cursor]).toEqual([2, 1, null])
    const open = await accountant.get('/bank-lines?limit=3')
    const rest = await accountant.get(`/bank-lines?limit=3&cursor=${open.body.next_cursor}`)
    expect([open.body.data.length, rest.body.data.length]).toEqual([3, 2])
    const { statement_id: id } = other.body
    const half = await accountant.get(`/bank-statements/${id}?limit=3`)
    const end = await accountant.get(`/bank-statements/${id}?limit=3&cursor=${half.body.next_cursor}`)
    expect([half.body.data.length, end.body.data.length, end.body.next_cursor]).toEqual([3, 1, null])
  })

  it('wait for a second operator, and leave what is refused as it was', async () => {
    await restart({ env: { TRANSFER_FILE: TWO } })
    const [one, small] = [await order('one'), await order('small')]
    const line = (of: typeof one) => `21/11/2026;${of.reference};;${of.amount}\n`
    const { body } = await send(`${HEAD}${line(one)}`)
    const path = `/bank-statements/${body.statement_id}/approve`
    const first = await accountant.post(path, { why: 'seen' })
    expect(first.body).toMatchObject({ left: 0, results: [{ outcome: 'waits_for_second' }] })
    // What one has approved is not theirs to approve again; it is another's.
    const own = { lines: [{ line: body.data[0].id, payment_id: one.id }], why: 'again' }
    expect((await accountant.post(path, own)).body.results).toMatchObject([
      { outcome: 'refused', code: 'second_operator_needed' },
    ])
    const toApprove = (await owner.get(path)).body.changes
    expect(toApprove.map(({ what }: { what: string }) => what)).toEqual([
      'amountAsked',
      'amountCame',
      'access',
    ])
    expect((await owner.post(path, { why: 'seen too' })).body.results).toMatchObject([
      { outcome: 'approved' },
    ])
    expect(await lines()).toEqual({ approved: 1 })
    await restart({ env: { TRANSFER_FILE: ONE } })
    const second = await send(HEAD + line(small))
    await accountant.post(`/bank-statements/${second.body.statement_id}/approve`, { why: 'seen' })
    expect(await lines()).toEqual({ approved: 2 })
    // The same money again: its payment is booked, so it is to choose.
    const late = await send(`${HEAD}22/11/2026;${small.reference};;${small.amount}\n`)
    expect(late.body.data[0].match).toMatchObject({
      kind: 'to_choose',
      candidates: [{ differs: ['in_future', 'booked', 'other_line'] }],
    })
    const more = { lines: [{ line: late.body.data[0].id, payment_id: small.id }], why: 'x' }
    const refused = await accountant.post(`/bank-statements/${late.body.statement_id}/approve`, more)
    expect(refused.body.results).toMatchObject([{ outcome: 'refused', code: 'validation_failed' }])
    expect(await lines()).toEqual({ approved: 2, open: 1 })
    const unknown = { lines: [{ line: 'lin_x', payment_id: small.id }], why: 'x' }
    expect((await accountant.post(path, unknown)).status).toBe(422)
  })

  it('leave another amount to review, and link what was approved by hand', async () => {
    const [other, byHand] = [await order('c'), await order('d')]
    const last = `21/11/2026;${byHand.reference};;${byHand.amount}`
    const csv = `${HEAD}21/11/2026;${other.reference};;1500\n${last}\n`
    const approval = { amount: byHand.amount, received_at: '2026-11-21', payment_method: 'ccp', why: 'x' }
    expect((await accountant.post(`/payments/${byHand.id}/approve`, approval)).status).toBe(200)
    const { body } = await send(csv)
    expect(body.counts).toMatchObject({ sure: 0, to_choose: 1, approved: 1 })
    const [less] = body.data
    const wanted = [{ line: less.id, payment_id: other.id }]
    const visit = await enterConsole(world, KEY)
    const asked = `?chosen=1&line_${less.id}=${other.id}`
    const shown = await visit.open(`/console/bank-statements/${body.statement_id}/approve${asked}`)
    expect(wordsOf(shown.text)).toMatch(/Amount asked for · .* 2\s000 DA .* came.* 1\s500 DA/)
    expect(wordsOf(shown.text)).toMatch(/Status · 2026-11-21 · c · .* open under review/)
    const done = await accountant.post(`/bank-statements/${body.statement_id}/approve`, {
      lines: wanted,
      why: 'x',
    })
    expect(done.body.results).toMatchObject([{ outcome: 'review' }])
    expect(await lines()).toEqual({ approved: 1, open: 1 })
    // Once it is accepted as it is, the line is approved: by the job, as after a crash.
    await owner.post(`/payments/${other.id}/accept`, { why: 'so be it' })
    await world.advance(60)
    expect(await lines()).toEqual({ approved: 2 })
  })

  it('say what keeps a file from being read, and store nothing of it', async () => {
    const columns = '&date=99&amount=0&text=2,Nom'
    expect((await send(`${HEAD}21/11/2026;x;;5\n`, columns)).body).toMatchObject({
      ...{ code: 'file_not_accepted', reason: 'no_column', unclear: ['date', 'amount', 'text'] },
      first_rows: [['Date', 'Libellé', 'Débit', 'Crédit'], expect.any(Array)],
    })
    expect(await lines()).toEqual({})
    const said = await send(`${HEAD}01/02/2026;X;;1.980\n`, '&day_order=mdy&decimal=,')
    expect(said.body.data).toMatchObject([{ date: '2026-01-02', amount: 1980 }])
    const big = Buffer.alloc(5 * 1024 * 1024 + 1, '\n')
    big.write(`${HEAD}21/11/2026;x;;5,00\n`)
    expect((await send(big)).status).toBe(413)
    // The last file with these headings had another order of the day.
    const other = await send(big.subarray(0, -1))
    expect(other.body).toMatchObject({ code: 'file_not_accepted', reason: 'day', line: 2 })
    expect((await send(big.subarray(0, -1), '&day_order=dmy')).body).toMatchObject({ lines: 1 })
    expect((await send(HEAD, '&account=cash')).status).toBe(422)
  })

  it('are withdrawn once but for lines that pay, and are new when they are read in again', async () => {
    const one = await order('u1')
    const row = (day: number, text: string, dinars = 5) => `${day}/11/2026;${text};;${dinars}\n`
    const { body } = await send(HEAD + row(18, 'A') + row(21, one.reference, one.amount))
    const path = `/bank-statements/${body.statement_id}`
    await accountant.post(`${path}/approve`, { why: 'x' })
    const gone = { statement_id: body.statement_id, withdrawn: 1, left: 1 }
    expect((await accountant.post(`${path}/withdraw`, { why: 'wrong column' })).body).toEqual(gone)
    expect((await accountant.post(`${path}/withdraw`, { why: 'again' })).status).toBe(409)
    expect((await accountant.get(path)).body).toMatchObject({
      ...{ lines: 1, first_day: '2026-11-21', data: [{ state: 'approved', payment_id: one.id }] },
    })
    const again = await send(HEAD + row(18, 'A') + row(21, one.reference, one.amount))
    expect(again.body.data).toMatchObject([{ text: 'A', state: 'open' }])
  })

  it('give one payment to one of two lines that were chosen for it at once', async () => {
    const one = await order('u1')
    const row = `21/11/2026;${one.reference};;${one.amount}\n`
    const { body } = await send(HEAD + row + row)
    const chosen = body.data.map(({ id }: { id: string }) => ({ line: id, payment_id: one.id }))
    const path = `/bank-statements/${body.statement_id}/approve`
    const done = await accountant.post(path, { lines: chosen, why: 'x' })
    expect([done.status, done.body.results]).toMatchObject([
      200,
      [
        { outcome: 'approved', code: null },
        { outcome: 'refused', code: 'conflict' },
      ],
    ])
    expect(await lines()).toEqual({ approved: 1, open: 1 })
    const twice = { lines: [chosen[0], chosen[0]], why: 'x' }
    expect((await accountant.post(path, twice)).status).toBe(422)
  })

  it('are read in, shown and approved in the console', async () => {
    const one = await order('u1')
    const visit = await enterConsole(world, KEY)
    const page = await visit.open('/console/bank-statements')
    const token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const upload = async (csv: string, fields: Record<string, string> = {}) => {
      const form = new FormData()
      for (const [name, value] of Object.entries({ form_token: token, account: 'ccp', ...fields }))
        form.append(name, value)
      form.append('file', new Blob([csv]), 'releve.csv')
      const headers = { cookie: visit.cookie, 'accept-language': 'en' }
      const sending = { method: 'POST', headers, body: form, redirect: 'manual' } as const
      return fetch(`${world.url}/console/bank-statements`, sending)
    }
    const unclear = await upload(`${HEAD}01/02/2026;<b>x</b>;;5\n`)
    const shown = await unclear.text()
    expect([unclear.status, shown.includes('&lt;b>') || shown.includes('&lt;b&gt;')]).toEqual([422, true])
    expect(shown).toContain('The file does not say everything')
    const marked = [...shown.matchAll(/id="field-(\w+)"[^>]*aria-invalid/g)].map(([, name]) => name)
    expect(marked).toEqual(['day_order'])
    const empty = ['encoding', 'delimiter', 'date', 'debit', 'amount', 'text', 'day_order', 'decimal']
    const fields = Object.fromEntries(empty.map((name) => [name, '']))
    const sent = await upload(`${HEAD}21/11/2026;${one.reference};;${one.amount}\n`, fields)
    expect(sent.status).toBe(303)
    const address = (sent.headers.get('location') ?? '').slice(world.base.length)
    expect(wordsOf((await visit.open(address)).text)).toContain('Approve 1 transfer')
    const ask = await visit.ask(`${address}/approve`)
    expect(ask.status).toBe(200)
    const before = wordsOf((await visit.open(`${address}/approve`)).text)
    expect(before).toMatch(/Amount asked for · 2026-11-21 · u1 · [-\w]{14} 2\s000 DA/)
    expect(before).toMatch(/Access · 2026-11-21 · u1 · [-\w]{14} Free Pro until/)
    const { changes } = (await accountant.get(`${address.replace('/console', '')}/approve`)).body
    expect(changes).toMatchObject([
      { kind: 'dinars', what: 'amountAsked', before: 2_000, after: 2_000 },
      { kind: 'dinars', what: 'amountCame', before: 2_000, after: 2_000 },
      { kind: 'access', before: { plan: 'free' }, after: { plan: 'pro', status: 'active' } },
    ])
    const answer = await visit.submit(ask.path, { ...ask.fields, why: 'the statement' })
    expect(await visit.follow(answer)).toContain('approved')
    expect(await lines()).toEqual({ approved: 1 })
    expect(await (await upload('x', { form_token: 'wrong' })).status).toBe(403)
  })
})
