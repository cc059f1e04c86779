import { describeOnEach } from '../../../../test/support/databases.js'
import { aPayment, NOON } from '../../../../test/support/fixtures.js'
import { sql } from '../../../../test/support/sql.js'
import { HOUR, MINUTE } from '../core/instant.js'
import type { Queryable } from '../database/database.js'
import type { KnownUser } from '../ledger/users.sql.js'
import {
  createUpgradeRequests,
  insertRequestedPayments,
  loadForUpgrades,
  moveAttemptLease,
  type RequestedPayment,
} from './upgrade.sql.js'

const selectUsers = sql('select user_id, version, email, name, locale from users order by user_id')
const selectPayments = sql('select user_id, id, status from payments order by id')

const openAll = sql(`update payments set status = 'pending', method_reference = id,
    checkout_url = 'https://pay.example/' || id`)

const payAllBy = sql('update payments set method = $1, checkout_url = null')

const request = (user: KnownUser, version: number | null, id = `pay_${user.userId}`): RequestedPayment => ({
  user,
  version,
  payment: aPayment({ userId: user.userId, id, status: 'requested', checkoutId: null, checkoutUrl: null }),
})

const insertCode = sql(`with batch as (
     insert into code_batches (id, kind, percent, count, uses, uses_per_user, created_at, created_by, why)
     values ('bat_1', 'percent', 10, 1, 2, 1, now(), 'amina', 'test')
   ) insert into codes (hash, batch_id, used) values ('hash-1', 'bat_1', 1)`)

describeOnEach('upgrades that are asked for together', ({ database }) => {
  const asked = (...userIds: string[]) =>
    userIds.map((userId) => ({ user: { userId }, method: 'chargily', now: NOON }))

  it('take one statement to load and one to write, with new and known users', async () => {
    await insertRequestedPayments(database(), [request({ userId: 'b' }, null)])
    const sent: string[] = []
    const counted: Queryable = {
      query: (given, parameters) => {
        sent.push(given.name)
        return database().query(given, parameters)
      },
    }
    const { load, insert } = createUpgradeRequests(counted)
    const loaded = await Promise.all(asked('a', 'b', 'c').map(load))
    const known = loaded.map(({ version, open }) => `${version} ${open?.id}`)
    expect(known).toEqual(['null undefined', '1 pay_b', 'null undefined'])
    const written = await Promise.all(['c', 'a'].map((userId) => insert(request({ userId }, null))))
    expect(written).toEqual([true, true])
    expect(sent).toEqual(['upgrades.load', 'upgrades.request'])
    expect(await database().query(selectPayments)).toEqual(
      ['a', 'b', 'c'].map((userId) => ({ user_id: userId, id: `pay_${userId}`, status: 'requested' })),
    )
  })

  it('with a code are written where it has a use left, and not where it was used up since', async () => {
    await database().query(insertCode)
    const { insertWithCode } = createUpgradeRequests(database())
    const withCode = ['a', 'b'].map((userId) => {
      const asked = request({ userId }, null)
      return { ...asked, payment: { ...asked.payment, codeHash: 'hash-1', discount: 200 } }
    })
    const written = []
    for (const one of withCode) written.push(await insertWithCode(one))
    expect(written).toEqual([true, false])
    expect((await database().query(selectPayments)).map(({ user_id }) => user_id)).toEqual(['a'])
  })

  it('are written beside one that is refused because its user has an open payment', async () => {
    await insertRequestedPayments(database(), [request({ userId: 'b' }, null)])
    const { insert } = createUpgradeRequests(database())
    const written = await Promise.all([
      insert(request({ userId: 'a' }, null)),
      insert(request({ userId: 'b' }, 1, 'pay_second')),
      insert(request({ userId: 'c' }, null)),
    ])
    expect(written).toEqual([true, false, true])
    const users = (await database().query(selectUsers)).map((user) => `${user.user_id} ${user.version}`)
    expect(users).toEqual(['a 1', 'b 1', 'c 1'])
  })

  it('are written only at the version that they were decided on', async () => {
    await insertRequestedPayments(database(), [request({ userId: 'b' }, null)])
    const written = await insertRequestedPayments(database(), [
      request({ userId: 'a' }, null),
      // The first user's row was created after it was read. The second one's version has changed.
      request({ userId: 'b' }, null, 'pay_late'),
      request({ userId: 'c' }, 0, 'pay_of_unknown_user'),
    ])
    expect(written).toEqual([true, false, false])
    expect((await database().query(selectPayments)).map(({ id }) => id)).toEqual(['pay_a', 'pay_b'])
  })

  it('learn from the token what is not known of a user, and change nothing that is', async () => {
    await insertRequestedPayments(database(), [request({ userId: 'a', email: 'a@example.dz' }, null)])
    const user = { userId: 'a', email: 'other@example.dz', name: 'Amine', locale: 'fr' }
    const [loaded] = await loadForUpgrades(database(), [{ user, method: 'chargily', now: NOON }])
    expect(loaded?.version).toBe(1)
    expect(await database().query(selectUsers)).toEqual([
      { user_id: 'a', version: 1, email: 'a@example.dz', name: 'Amine', locale: 'fr' },
    ])
  })

  it('count for each user the checkouts that were opened in their own last hour', async () => {
    const both = ['a', 'b'].map((userId) => request({ userId }, null))
    await insertRequestedPayments(database(), both)
    const load = (...nows: readonly number[]) => {
      const of = both.map(({ user }, index) => ({ user, method: 'chargily', now: nows[index] ?? 0 }))
      return loadForUpgrades(database(), of)
    }
    expect((await load(NOON + 1, NOON + 1)).map(({ recentAt }) => recentAt)).toEqual([[], []])
    await database().query(openAll)
    const loaded = await load(NOON + HOUR + 1, NOON + HOUR - 1)
    expect(loaded.map(({ recentAt }) => recentAt)).toEqual([[], [NOON]])
    for (const method of ['transfer', 'cash']) {
      await database().query(payAllBy, [method])
      expect([method, (await load(0, NOON + 1)).map(({ recentAt }) => recentAt)]).toEqual([method, [[], []]])
    }
  })

  it('are taken over by one of two that ask for the lease at once; the other is too late', async () => {
    const requested = request({ userId: 'a' }, null)
    await insertRequestedPayments(database(), [requested])
    const settleOpened = (endsAt: number) => moveAttemptLease(database(), requested.payment, endsAt)
    // A server runs them on two connections, so either may be first.
    const taken = await Promise.all([settleOpened(NOON + MINUTE), settleOpened(NOON + HOUR)])
    expect(taken.toSorted()).toEqual([false, true])
  })
})
