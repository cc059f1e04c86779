// Which line of a bank statement pays which payment, where processes end and operators meet.
import { transferFile } from '../../../../test/support/config-files.js'
import { databaseWith } from '../../../../test/support/database-with.js'
import { describeOnEach } from '../../../../test/support/databases.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { sql } from '../../../../test/support/sql.js'
import { orderToPay, sendBankStatement } from '../../../../test/support/transfers.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import { type Database, DatabaseUnavailable } from '../database/database.js'

const ONE = transferFile()
const TWO = transferFile({ second_approval_from: 2_000 })

const HEAD = 'Date;Libellé;Débit;Crédit\r\n'
const selectPaid = sql(`select id from payments where status = 'paid' order by id`)

describeOnEach('a line of a bank statement', ({ database }) => {
  let world: World
  /** Runs before each statement of the service. */
  let before: (name: string) => Promise<void>
  /** One for all tests, so that their services are the same. */
  let watched: Database
  beforeAll(() => {
    watched = databaseWith(database, {
      query: async (asked, ...given) => {
        await before(asked.name)
        return database().query(asked, ...given)
      },
      transaction: async (...given) => {
        await before('transaction')
        return database().transaction(...given)
      },
    })
  })
  const open = async (TRANSFER_FILE: string) => {
    before = async () => {}
    world = await createWorld(watched, { env: { TRANSFER_FILE } })
  }
  beforeEach(() => open(ONE))
  afterEach(() => world.stop())

  type Role = 'accountant' | 'owner'
  const operator = (role: Role) => operatorOf(world, ROLE_KEYS[role])
  const order = (userId: string) => orderToPay(world, userId)
  const send = async (...rows: readonly string[]) => {
    const { body } = await sendBankStatement(world, ROLE_KEYS.accountant, `${HEAD}${rows.join('\n')}\n`)
    const lines: string[] = body.data.map(({ id }: { id: string }) => id)
    return { path: `/bank-statements/${body.statement_id}`, lines }
  }
  const row = (text: string, dinars: number) => `21/11/2026;${text};;${dinars}`
  const stored = async (of: string) => (await operator('accountant').get(of)).body
  const paid = async () => (await database().query(selectPaid)).map(({ id }) => String(id))
  const outcomes = ({ body }: { body: { results: readonly { outcome: string }[] } }) =>
    body.results.map(({ outcome }) => outcome)

  it('pays nothing where the process ends before the approval', async () => {
    const one = await order('u1')
    await world.advance(5 * 86_400)
    const { path } = await send('20/11/2026;X;;1', row(one.reference, one.amount), '25/11/2026;Y;;1')
    before = async (name) => {
      if (name === 'transfers.decide') throw new DatabaseUnavailable('gone')
    }
    expect((await operator('accountant').post(`${path}/approve`, { why: 'x' })).status).toBe(503)
    before = async () => {}
    expect((await stored(path)).data).toMatchObject([{}, { state: 'open', payment_id: null }, {}])
    const gone = await operator('accountant').post(`${path}/withdraw`, { why: 'x' })
    expect(gone.body).toMatchObject({ withdrawn: 3, left: 0 })
    expect(await paid()).toEqual([])
  })

  it('pays no other payment while it waits for the second operator', async () => {
    await world.stop()
    await open(TWO)
    const [one, two] = [await order('u1'), await order('u2')]
    const { path, lines } = await send(row('VIREMENT', one.amount))
    const choose = (of: typeof one) => ({ lines: [{ line: lines[0], payment_id: of.id }], why: 'x' })
    expect(outcomes(await operator('accountant').post(`${path}/approve`, choose(one)))).toEqual([
      'waits_for_second',
    ])
    for (const name of ['accountant', 'owner'] as const) {
      const other = await operator(name).post(`${path}/approve`, choose(two))
      expect(other.body.results).toMatchObject([{ outcome: 'refused', code: 'conflict' }])
    }
    expect((await stored(path)).data).toMatchObject([{ state: 'open', payment_id: one.id }])
    // Refused, it is free for the other one.
    await operator('owner').post(`/payments/${one.id}/refuse`, { why: 'not theirs' })
    expect((await stored(path)).data).toMatchObject([{ state: 'open', payment_id: null }])
    for (const name of ['accountant', 'owner'] as const)
      await operator(name).post(`${path}/approve`, choose(two))
    expect(await paid()).toEqual([two.id])
    expect((await stored(path)).data).toMatchObject([{ state: 'approved', payment_id: two.id }])
  })

  describe('whose payment is approved by hand while the line is approved', () => {
    /** Runs `byHand` when the line was read and its transfer was not. */
    const approveWhile = async (of: Awaited<ReturnType<typeof order>>, byHand: () => Promise<unknown>) => {
      const { path, lines } = await send(row('VIREMENT', of.amount))
      before = async (name) => {
        if (name !== 'transfers.of_payment') return
        before = async () => {}
        await byHand()
      }
      const chosen = { lines: [{ line: lines[0], payment_id: of.id }], why: 'x' }
      const { body } = await operator('accountant').post(`${path}/approve`, chosen)
      return { results: body.results, line: (await stored(path)).data[0] }
    }
    const byHand = (name: Role, of: Awaited<ReturnType<typeof order>>) => {
      const came = { amount: of.amount, received_at: '2026-11-21', payment_method: 'ccp', why: 'seen' }
      return operator(name).post(`/payments/${of.id}/approve`, came)
    }

    it('is refused and stays open', async () => {
      const one = await order('u1')
      const { results, line } = await approveWhile(one, () => byHand('owner', one))
      expect(results).toMatchObject([{ outcome: 'refused', code: 'conflict' }])
      expect(line).toMatchObject({ state: 'open', payment_id: null })
      expect(await paid()).toEqual([one.id])
    })

    it('pays it where that approval was not booked yet, and the trail says so', async () => {
      const one = await order('u1')
      const { results, line } = await approveWhile(one, async () => {
        let isDecided = false
        before = async (name) => {
          if (isDecided) throw new DatabaseUnavailable('gone')
          isDecided = name === 'transfers.decide'
        }
        expect((await byHand('accountant', one)).status).toBe(503)
        before = async () => {}
      })
      expect(results).toMatchObject([{ outcome: 'approved' }])
      expect(line).toMatchObject({ state: 'approved', payment_id: one.id })
      expect(await paid()).toEqual([one.id])
      const { data } = await stored('/audit?act=payment.approve')
      const named = data.flatMap(({ after }: { after: { line_id?: string } }) => after.line_id ?? [])
      expect([data.length, named]).toEqual([2, [line.id]])
    })
  })

  it('pays one payment where two operators choose two for it at once', async () => {
    for (const round of [1, 2, 3, 4]) {
      const [one, two] = [await order(`a${round}`), await order(`b${round}`)]
      const { path, lines } = await send(row(`VIREMENT ${round}`, one.amount))
      const choose = (of: typeof one) => ({ lines: [{ line: lines[0], payment_id: of.id }], why: 'x' })
      const done = await Promise.all([
        operator('accountant').post(`${path}/approve`, choose(one)),
        operator('owner').post(`${path}/approve`, choose(two)),
      ])
      // The one that reads the line after the other is done is refused as a whole.
      const became = done.flatMap((answer) => (answer.status === 422 ? 'refused' : outcomes(answer)))
      expect(became.sort()).toEqual(['approved', 'refused'])
      expect(await paid()).toHaveLength(round)
      const [line] = (await stored(path)).data
      expect([one.id, two.id]).toContain(line.payment_id)
      for (const { id } of [one, two]) await operator('owner').post(`/payments/${id}/refuse`, { why: 'x' })
    }
  })

  it('is one of several, and its approval goes on after a process that ended between two', async () => {
    const [one, two] = [await order('u1'), await order('u2')]
    const { path, lines } = await send(row(one.reference, one.amount), row(two.reference, two.amount))
    const wanted = {
      lines: [one, two].map(({ id }, at) => ({ line: lines[at], payment_id: id })),
      ...{ why: 'x', operation_id: 'both' },
    }
    const entries = async () => (await stored('/audit?act=statement.approve')).data
    const atFirst: object[] = []
    let decided = 0
    before = async (name) => {
      if (name !== 'transfers.decide') return
      if (++decided > 1) throw new DatabaseUnavailable('gone')
      atFirst.push(...(await entries()))
    }
    expect((await operator('accountant').post(`${path}/approve`, wanted)).status).toBe(503)
    before = async () => {}
    await world.advance(120)
    expect((await stored(path)).data).toMatchObject([
      { state: 'approved', payment_id: one.id },
      { state: 'open', payment_id: null },
    ])
    // The entry that says what is to be approved was there before the first line was decided.
    expect(atFirst).toMatchObject([{ after: { lines: wanted.lines } }])
    expect((await stored('/audit?act=statement.approved')).data).toEqual([])
    expect((await stored('/audit?act=payment.approve')).data).toMatchObject([
      { payment_id: one.id, why: 'x', after: { line_id: lines[0] } },
    ])
    expect(outcomes(await operator('accountant').post(`${path}/approve`, wanted))).toEqual([
      'approved',
      'approved',
    ])
    expect((await stored(path)).data).toMatchObject([{ state: 'approved' }, { state: 'approved' }])
    expect(await paid()).toEqual([one.id, two.id].sort())
    expect(await entries()).toEqual(atFirst)
    expect((await stored('/audit?act=statement.approved')).data).toHaveLength(1)
  })
})
