import { describeOnEach, freshDatabase } from '../../../../test/support/databases.js'
import { sql } from '../../../../test/support/sql.js'
import { ConstraintViolation, DatabaseError, DatabaseUnavailable, type Parameter } from './database.js'
import { endsConnection, translateError } from './session.js'

const create = `
  create table if not exists accounts (
    id text constraint accounts_once primary key,
    balance int8 not null constraint accounts_never_negative check (balance >= 0)
  )`
const refill = sql(`insert into accounts values ('a', 100), ('b', 100)`)

const add = sql('update accounts set balance = balance + $2 where id = $1 returning balance')
const balance = sql('select balance from accounts where id = $1')
const total = sql('select sum(balance) as total from accounts')
const insert = sql('insert into accounts (id, balance) values ($1, $2)')
const wrong = sql('select nonsense from accounts')
const one = sql('select 1 as one')
const conflict = sql(`do $$ begin raise exception using errcode = '40001'; end $$`)

describeOnEach('transactions', (context) => {
  const { database, kind } = context
  beforeAll(() => database().script(create))
  beforeEach(() => database().query(refill))
  afterAll(() => database().script('drop table accounts'))

  it('nothing of a transaction stays when its work throws or a statement of it fails', async () => {
    const refusal = new RangeError('of our own')
    const work = database().transaction(async (transaction) => {
      await transaction.query(add, ['a', -30])
      throw refusal
    })
    await expect(work).rejects.toBe(refusal)
    const failing = database().transaction(async (transaction) => {
      await transaction.query(add, ['b', 30])
      await transaction.query(add, ['a', -130])
    })
    await expect(failing).rejects.toMatchObject({ constraint: 'accounts_never_negative' })
    const swallowing = database().transaction(async (transaction) => {
      await transaction.query(add, ['a', 1])
      await transaction.query(wrong).catch(() => 'swallowed')
      return 'all is well'
    })
    await expect(swallowing).rejects.toMatchObject({ code: '25P02' })
    const script = database().script(`update accounts set balance = 1; insert into accounts values ('a', 1)`)
    await expect(script).rejects.toBeInstanceOf(ConstraintViolation)
    for (const id of ['a', 'b']) expect(await database().query(balance, [id])).toEqual([{ balance: 100 }])
  })

  it('50 transactions at once leave the sum that 50 in a row would', async () => {
    const moves = Array.from({ length: 50 }, (_, index) =>
      database().transaction(async (transaction) => {
        // `a` is locked first: one order avoids deadlocks.
        const amount = index % 2 === 0 ? 1 : -1
        await transaction.query(add, ['a', amount])
        await transaction.query(add, ['b', -amount])
      }),
    )
    await Promise.all(moves)
    // 100 + 100, and the transfers cancel each other.
    expect(await database().query(total)).toEqual([{ total: 200 }])
    expect(await database().query(balance, ['a'])).toEqual([{ balance: 100 }])
  })

  it('statements that the work starts at once run in the order they were started', async () => {
    const rows = await database().transaction((transaction) =>
      Promise.all([1, 2, 3].map((amount) => transaction.query(add, ['a', amount]))),
    )
    expect(rows.map(([row]) => row?.balance)).toEqual([101, 103, 106])
    // It cannot be used after its end.
    const kept = await database().transaction(async (transaction) => transaction)
    await expect(kept.query(one)).rejects.toMatchObject({ code: '25P01' })
  })

  it('a broken rule is a ConstraintViolation with its name', async () => {
    const again = database().query(insert, ['a', 1])
    await expect(again).rejects.toBeInstanceOf(ConstraintViolation)
    await expect(again).rejects.toMatchObject({ constraint: 'accounts_once' })
    // A missing value breaks a rule that has no name: the column stands for it.
    await expect(database().query(insert, ['c', null])).rejects.toMatchObject({ constraint: 'balance' })
  })

  it('faulty SQL is a DatabaseError with its code, and what ran beside it is unharmed', async () => {
    const queries = [database().query(balance, ['a']), database().query(wrong), database().query(one)]
    const outcomes = await Promise.allSettled(queries)
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    await expect(database().query(wrong)).rejects.toMatchObject({ code: '42703' })
    await expect(database().query(wrong)).rejects.toBeInstanceOf(DatabaseError)
  })

  it('a statement that failed at its first run works at the next', async () => {
    const half = sql('select 10 / $1::int as half, $2::text as said')
    const onOne = (parameters: Parameter[]) =>
      database().transaction((transaction) => transaction.query(half, parameters))
    // 22P02 fails before it was planned, 22012 (division by zero) while it ran.
    await expect(onOne(['five', 'a'])).rejects.toMatchObject({ code: '22P02' })
    await expect(onOne([0, 'a'])).rejects.toMatchObject({ code: '22012' })
    expect(await onOne([5, 'a'])).toEqual([{ half: 2, said: 'a' }])
    expect(await onOne([2, null])).toEqual([{ half: 5, said: null }])
  })

  it('a statement follows a script that changes its columns', async () => {
    const all = sql(`select * from accounts where id = 'a'`)
    // All connections get a plan that the script makes stale.
    const everywhere = () => Promise.all(Array.from({ length: 20 }, () => database().query(all)))
    await everywhere()
    await database().script('alter table accounts add column note text')
    expect(await everywhere()).toEqual(Array(20).fill([{ id: 'a', balance: 100, note: null }]))
    await database().script('alter table accounts drop column note')
  })

  it('closing finishes what is under way and refuses what comes after', async () => {
    const own = await freshDatabase(kind)
    await own.script(create)
    await own.query(refill)
    // More queries than connections: some wait for one when the closing begins.
    const queries = Array.from({ length: 100 }, () => own.query(add, ['a', 1]))
    const transaction = own.transaction(async (inside) => {
      await inside.query(add, ['b', 1])
      return await inside.query(add, ['b', 1])
    })
    let runs = 0
    const conflicting = own.transaction((inside) => inside.query(runs++ === 0 ? conflict : one))
    const closed = own.close()
    await expect(own.query(one)).rejects.toBeInstanceOf(DatabaseUnavailable)
    expect(await transaction).toEqual([{ balance: 102 }])
    const balances = (await Promise.all(queries)).map(([row]) => Number(row?.balance))
    expect(Math.max(...balances)).toBe(200)
    expect(await conflicting).toEqual([{ one: 1 }])
    await closed
  })
})

it('an error is unavailability if it is of the connection; another one is a bug, and ends it too', () => {
  const failed = [
    Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
    Object.assign(new AggregateError([new Error('refused')]), { code: 'ECONNREFUSED' }),
    ...['Connection terminated unexpectedly', 'Query read timeout', 'timeout expired'].map(
      (text) => new Error(text),
    ),
    new Error('There was an error establishing an SSL connection'),
  ]
  for (const error of failed) expect(translateError(error)).toBeInstanceOf(DatabaseUnavailable)
  const bug = new Error('Query values must be an array')
  expect(translateError(bug)).toBe(bug)
  const lost = [bug, new DatabaseUnavailable('it ended'), new DatabaseError('22P02', 'refused')]
  expect(lost.map(endsConnection)).toEqual([true, true, false])
})
