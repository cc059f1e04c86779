// One form that is sent twice at the same moment, where the other one is refused while this one is about to
// be saved: nothing is done, and both lead to the refusal. If the other one acts, both lead to what it did.

import {
  PAYMENT_ACTS_BY_VERB,
  PAYMENT_VERBS,
  USER_ACTS_BY_VERB,
  USER_QUESTIONS,
  USER_VERBS,
} from '../../../../test/support/acts.js'
import { type ConsoleVisit, enterConsole } from '../../../../test/support/console.js'
import { describeScenario } from '../../../../test/support/databases.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { booksChangedTo, payOtherwise } from '../../../../test/support/other-amount.js'
import { setProfile } from '../../../../test/support/profile.js'
import { COMPANY } from '../../../../test/support/receipt.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { TRANSFER_FILE } from '../../../../test/support/setting-files.js'
import { sql } from '../../../../test/support/sql.js'
import { orderTransfer } from '../../../../test/support/transfers.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import { actsOf } from '../acts/capability.js'
import { setBuyer } from '../buyers/set-buyer.js'
import type { Database } from '../database/database.js'
import { CAPABILITIES } from '../main/capabilities.js'

const insertRefusal =
  sql(`insert into audit (user_id, id, acted_at, actor, act, reason, before, after, operation_id)
   values ($2, $3, '2026-11-21T12:00:00Z', 'owner', 'operator.refused', 'x', '{}', '{}', $1)`)
const selectFacts = sql(`select (select jsonb_agg(to_jsonb(u) order by user_id) from users u) as users,
          (select jsonb_agg(to_jsonb(p) order by p.id) from payments p) as payments,
          (select jsonb_agg(to_jsonb(g) order by g.id) from grants g) as grants,
          (select jsonb_agg(to_jsonb(d)) from discrepancies d) as discrepancies,
          (select jsonb_agg(to_jsonb(a) order by a.id) from audit a) as audit`)

const EACH_COUNTS = new Set<string | undefined>(
  actsOf<never>(CAPABILITIES).flatMap(({ name, countsEach }) => (countsEach ? [name] : [])),
)

describeScenario('a form of the console that is sent twice at once', ({ database }) => {
  let world: World
  let visit: ConsoleVisit
  let refusals = 0
  let onSave: (() => Promise<unknown>) | undefined
  let onFound: (() => Promise<unknown>) | undefined
  beforeEach(async () => {
    onSave = undefined
    onFound = undefined
    // No job runs, so nothing is sent.
    const env = { TRANSFER_FILE, BALANCE_MAX: '10000', SMTP_URL: 'smtp://127.0.0.1:9' }
    world = await createWorld(interrupted(database()), { env })
    visit = await enterConsole(world, ROLE_KEYS.owner)
  })
  afterEach(() => world.stop())

  /** What saves an act waits until `onSave` is done; what looked for an earlier one, until `onFound` is. */
  function interrupted(inner: Database): Database {
    return new Proxy(inner, {
      get: (target, name) => {
        if (name !== 'query') return Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name)
        return async (...[asked, ...rest]: Parameters<Database['query']>) => {
          const isAct = asked.name !== 'audit.insert' && asked.text.includes('insert into audit')
          if (isAct) await onSave?.()
          const rows = await target.query(asked, ...rest)
          if (asked.name === 'audit.by_operation') await onFound?.()
          return rows
        }
      },
    })
  }

  const buy = async (userId: string) => (await world.as(userId).buy()).paymentId
  const PAYMENTS: Readonly<Record<string, (userId: string) => Promise<string>>> = {
    recheck: async (userId) => {
      world.emulator.setFaults({ drop: {} })
      return buy(userId)
    },
    accept: (userId) => payOtherwise(world, userId, { charged: 1500, told: 1500 }),
    refund: buy,
    'resend-receipt': async (userId) => {
      const id = await buy(userId)
      await setProfile(world, userId, { email: 'amina@example.dz' })
      await database().script('delete from mails')
      return id
    },
    approve: async (userId) => (await orderTransfer(world, userId)).id,
    refuse: async (userId) => (await orderTransfer(world, userId)).id,
    'correct-invoice': async (userId) => {
      await setBuyer(world.service.parts, { userId: userId }, COMPANY)
      return buy(userId)
    },
    keep: async (userId) => {
      const id = await buy(userId)
      await database().script("update payments set second_of = 'pay_0'")
      return id
    },
  }
  const sendInterrupted = async (
    address: string,
    of: { readonly act?: string | undefined; readonly id?: string | undefined; readonly userId?: string },
    query = '',
  ) => {
    const { path, fields } = await visit.ask(address, query)
    const facts = async () => (await database().query(selectFacts, []))[0]
    let before: unknown
    refusals += 1
    const refusal = `act_${refusals}`
    onSave = async () => {
      onSave = undefined
      const operation = fields.operation_id ?? ''
      // Of what two operators must want each operator's is another one.
      const whose = EACH_COUNTS.has(of.act) ? '\nowner' : ''
      const name = of.act === undefined ? operation : `${of.act} ${of.id} ${operation}${whose}`
      await database().query(insertRefusal, [name, of.userId ?? 'user-1', refusal])
      before = await facts()
    }
    const answer = await visit.submit(path, { ...fields, payment_method: 'ccp', why: 'x' })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toMatch(new RegExp(`\\?refused=${refusal}$`))
    expect(onSave).toBeUndefined()
    expect(await facts()).toEqual(before)
    const again = await visit.submit(path, { ...fields, payment_method: 'ccp', why: 'x' })
    expect(again.headers.get('location')).toBe(answer.headers.get('location'))
  }

  it('does nothing to a payment', async () => {
    for (const act of PAYMENT_VERBS) {
      world.emulator.clearFaults()
      const userId = `user-${act}`
      const id = await PAYMENTS[act]?.(userId)
      const of = { act: PAYMENT_ACTS_BY_VERB[act]?.name, id, userId }
      await sendInterrupted(`/console/payments/${id}/${act}`, of)
    }
  })

  it('leads to what the other one did after this one found nothing in the trail', async () => {
    const { path, fields } = await visit.ask(`/console/payments/${await buy('user-1')}/refund`)
    const send = () => visit.submit(path, { ...fields, payment_method: 'ccp', why: 'x' })
    let other: Awaited<ReturnType<typeof send>> | undefined
    onFound = async () => {
      onFound = undefined
      other = await send()
    }
    const answer = await send()
    expect(other?.headers.get('location')).toMatch(/\?done=act_/)
    expect(answer.headers.get('location')).toBe(other?.headers.get('location'))
  })

  it('does nothing to a user', async () => {
    await buy('user-1')
    const given = { amount: 1_000, why: 'to have one' }
    await operatorOf(world, ROLE_KEYS.owner).post('/users/user-1/correct', given)
    await setProfile(world, 'without-money', { name: 'Lina' })
    for (const act of USER_VERBS) {
      const userId = act === 'erase' ? 'without-money' : 'user-1'
      const of = { act: USER_ACTS_BY_VERB[act]?.name, id: userId, userId }
      await sendInterrupted(`/console/users/${userId}/${act}`, of, USER_QUESTIONS[act])
    }
  })

  it('closes no discrepancy', async () => {
    await buy('user-1')
    await database().script(booksChangedTo(2_500))
    await operatorOf(world, ROLE_KEYS.owner).post('/reconciliations/start', { since: '2026-11-01' })
    const [, id = ''] = /href="[^"]*\/console\/health#(dsc_[^"]*)"/.exec((await visit.open()).text) ?? []
    await sendInterrupted(`/console/discrepancies/${id}/close`, { act: 'discrepancy.close', id })
  })
})
