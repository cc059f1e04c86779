// A payment whose row cannot be shown: it is marked as broken, every list and page that it is on stands, and
// the log names it.

import { type ConsoleVisit, enterConsole } from '../../../../test/support/console.js'
import { describeScenario } from '../../../../test/support/databases.js'
import { OPERATOR_KEY, type OperatorCaller, operatorOf } from '../../../../test/support/operator.js'
import { wordsOf } from '../../../../test/support/portal.js'
import { sql } from '../../../../test/support/sql.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import { createLog } from '../runtime/log.js'

const withoutInstant = sql(`update payments set review = review - 'paidAt' where id = $1`)
const withoutDifferences = sql(`update payments set review = review - 'differences' where id = $1`)

const selectReview = sql('select review from payments where id = $1')
const restore = sql('update payments set review = $2::jsonb where id = $1')

describeScenario('a payment that cannot be shown', ({ database }) => {
  let world: World
  let operator: OperatorCaller
  let visit: ConsoleVisit
  let errors: string[]
  let broken: string
  beforeEach(async () => {
    errors = []
    const log = createLog({ level: 'error', destination: { write: (line) => errors.push(line) } })
    world = await createWorld(database(), { log })
    operator = operatorOf(world)
    visit = await enterConsole(world, OPERATOR_KEY)
    world.emulator.setFaults({ wrong_amount: { times: 1 } })
    broken = (await world.as('user-1').buy()).paymentId
    world.clock.advance(1_000)
    await world.as('user-2').buy()
  })
  afterEach(() => world.stop())

  it('as its review has no instant or no list of differences', async () => {
    const [whole] = await database().query(selectReview, [broken])
    for (const spoil of [withoutDifferences, withoutInstant]) {
      errors.length = 0
      await database().query(restore, [broken, JSON.stringify(whole?.review)])
      await database().query(spoil, [broken])
      await seesItBroken()
    }
    // It is accepted all the same.
    const { status } = await operator.post(`/payments/${broken}/accept`, { why: 'the list says 2000' })
    expect([status, (await world.as('user-1').get('/api/v1/billing/status')).body.plan]).toEqual([200, 'pro'])
  })

  const seesItBroken = async () => {
    const mark = { id: broken, user_id: 'user-1', status: 'broken' }
    const whole = { user_id: 'user-2', status: 'paid' }
    const lists = [
      ...['/payments', '/payments?method=card', '/payments?status=review', '/payments?user_id=user-1'],
    ]
    const data = async (path: string) => (await operator.get(path)).body.data
    expect(await Promise.all(lists.map(data))).toMatchObject([[whole, mark], [whole, mark], [mark], [mark]])
    expect((await operator.get('/users/user-1')).body).toMatchObject({ payments: [mark] })
    expect((await operator.get(`/search?q=${broken}`)).body.payments).toMatchObject([
      { ...mark, exact: true },
    ])
    const file = (await operator.get(`/payments/${broken}`)).body
    expect(file).toMatchObject({ payment: mark, received: [{ outcome: 'review' }] })
    expect((await operator.get('/inbox')).body.data).toMatchObject([{ kind: 'payment_review', id: broken }])
    const named = errors.map((line) => JSON.parse(line)).filter(({ payment_id }) => payment_id === broken)
    expect(named).toMatchObject(
      Array.from({ length: 7 }, () => ({ user_id: 'user-1', message: 'a payment cannot be shown' })),
    )
    for (const path of ['', '/search?q=2000', '/users/user-1', `/payments/${broken}`]) {
      const page = await visit.open(`/console${path}`)
      expect([path, page.status]).toEqual([path, 200])
    }
    expect(wordsOf((await visit.open(`/console/users/user-1`)).text)).toContain('user-1')
    expect((await world.as('user-1').get('/api/v1/billing/payments')).body.data).toMatchObject([
      { id: broken, status: 'review' },
    ])
  }
})
