// A purchase in the log at info level: the lines of each request are found by its id, from the click to the
// booking.
import { enterConsole, signIn } from '../support/console.js'
import { emptyDatabase } from '../support/databases.js'
import { captureLog } from '../support/example-app.js'
import { OPERATOR_KEY, operatorOf } from '../support/operator.js'
import { createWorld, type World } from '../support/world.js'

const BILLING = '/api/v1/billing'

let world: World
let captured: ReturnType<typeof captureLog>
beforeEach(async () => {
  captured = captureLog('trace')
  world = await createWorld(await emptyDatabase('pglite'), { log: captured.log })
})
afterEach(() => world.stop())

const said = (message: string) =>
  captured.lines.map((line) => JSON.parse(line)).filter((line) => line.message === message)

it('checkout opened, event received, payment settled: each with its request and the payment', async () => {
  const user = world.as('user-1')
  const opened = await user.post(`${BILLING}/upgrade`, { plan: 'pro' }, { 'x-request-id': 'click-1' })
  const payment_id = opened.body.payment_id
  const request_id = opened.headers.get('x-request-id')
  expect(said('checkout opened')).toMatchObject([{ request_id, payment_id, source: 'upgrade' }])

  await world.emulator.pay(world.emulator.checkouts()[0]?.id ?? '', 'paid')
  await world.emulator.settled()
  const [event] = said('event received')
  expect(event).toMatchObject({ payment_id, type: 'checkout.paid', request_id: expect.any(String) })
  const settled = { payment_id, status: 'paid', source: 'webhook' }
  const { event_id, request_id: of } = event
  expect(said('payment settled')).toMatchObject([{ ...settled, event_id, request_id: of }])
})

it('a payment that a reader finds, and a wrong signature, are logged with their request', async () => {
  world.emulator.setFaults({ drop: {} })
  await world.as('user-1').buy()
  world.clock.advance(60_000)
  const reading = await world.as('user-1').get(`${BILLING}/status`)
  const request_id = reading.headers.get('x-request-id')
  expect(said('payment settled')).toMatchObject([{ source: 'read', request_id }])
  const refused = await world.call('POST', `${BILLING}/webhook`, { body: '{}', headers: { signature: 'ff' } })
  const wrong = { request_id: refused.headers.get('x-request-id') }
  expect(said('a webhook has a wrong signature')).toMatchObject([wrong])
})

it("names no operator's key: made, used, signed in with, wrong, and ended", async () => {
  const owner = operatorOf(world)
  const asked = { name: 'samira', role: 'cashier', why: 'hired' }
  const { key } = (await owner.post('/operators/create', asked)).body
  const samira = operatorOf(world, key)
  await enterConsole(world, key)
  await world.as('user-1').buy()
  await samira.post('/users/user-1/record', { plan: 'pro', method: 'x' })
  const next = (await owner.post('/operators/samira/new-key', { why: 'lost' })).body.key
  expect((await samira.get('/payments')).status).toBe(401)
  await signIn(world, key)
  expect(said('payment settled')).toHaveLength(1)
  for (const one of [key, next]) expect(captured.lines.filter((line) => line.includes(one))).toEqual([])
})

it('has no text of a bank statement: read in, refused, approved, set aside and withdrawn', async () => {
  const owner = operatorOf(world)
  const send = async (csv: string, query = '') => {
    const headers = { 'content-type': 'text/csv', authorization: `Bearer ${OPERATOR_KEY}` }
    const path = `/api/v1/operator/bank-statements?account=ccp${query}`
    return world.call('POST', path, { body: csv, headers })
  }
  const head = 'Date;Text;Debit;Credit\n'
  const line = (day: string, amount = '5,00') => `${day};VIREMENT DE HALIMA ZOUBIDA;;${amount}\n`
  for (const refused of [line('31/02/2026'), line('21/11/2026', '5O0'), line('01/02/2026', '1.980')])
    expect((await send(head + refused)).body.code).toBe('file_not_accepted')
  expect((await send(`${head}20/11/2026;"HALIMA" x;;5\n`)).body).toMatchObject({ reason: 'quote' })
  expect((await send(head + line('21/11/2026'), '&decimal=HALIMA')).status).toBe(422)
  const { status, body } = await send(head + line('21/11/2026') + line('21/11/2026'))
  expect(status).toBe(200)
  const [first] = body.data
  expect(first.text).toContain('HALIMA')
  const visit = await enterConsole(world, OPERATOR_KEY)
  await visit.open(`/console/bank-statements/${body.statement_id}`)
  await owner.post(`/bank-statements/${body.statement_id}/approve`, { why: 'seen' })
  await owner.post(`/bank-lines/${first.id}/set-aside`, { why: 'the rent' })
  await owner.post(`/bank-statements/${body.statement_id}/withdraw`, { why: 'wrong file' })
  await world.as('user-1').buy()
  await world.advance(120)
  expect(said('payment settled')).toHaveLength(1)
  expect(captured.lines.filter((line) => /HALIMA|ZOUBIDA/i.test(line))).toEqual([])
})
