// Neither statements, nor what they write, nor time tell whether an address is known.
import { databaseWith } from '../../../../test/support/database-with.js'
import { describeScenario } from '../../../../test/support/databases.js'
import { setProfile } from '../../../../test/support/profile.js'
import { type SmtpSink, startSmtpSink } from '../../../../test/support/smtp-sink.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import { type Database, type Statement, statement } from '../database/database.js'
import { digestOf } from '../runtime/secret.js'

/** Of one length each: a longer address makes a longer row. */
const ADDRESSES = ['known@example.dz', 'other@example.dz', 'bound@example.dz'] as const
const ROUNDS = 12

type Written = { statement: string; records: number; bytes: number }

const explained = new Map<string, Statement>()

/** Carried out as it is, and what it wrote is counted: that of this connection alone. */
function counted({ name, text }: Statement): Statement {
  const known =
    explained.get(name) ?? statement(`test.${name}`, `explain (analyze, wal, format json) ${text}`)
  explained.set(name, known)
  return known
}

describeScenario('an address in the form of the portal', ({ database }) => {
  let sink: SmtpSink
  let world: World
  let writes: Written[] | null = null
  beforeEach(async () => {
    sink = await startSmtpSink()
    world = await createWorld(listening(database()), {
      env: { SMTP_URL: sink.url, TRUSTED_PROXIES: '127.0.0.1' },
    })
  })
  afterEach(async () => {
    await world.stop()
    await sink[Symbol.asyncDispose]()
  })

  function listening(heard: Database): Database {
    return databaseWith(() => heard, {
      query: async (given, parameters, giveUpAt) => {
        if (!writes) return heard.query(given, parameters, giveUpAt)
        const [row] = await heard.query(counted(given), parameters, giveUpAt)
        const [found] = (row?.['QUERY PLAN'] ?? []) as readonly { Plan: Record<string, number> }[]
        const plan = found?.Plan ?? {}
        writes.push({
          statement: given.name,
          records: plan['WAL Records'] ?? 0,
          bytes: plan['WAL Bytes'] ?? 0,
        })
        return []
      },
    })
  }

  let network = 0
  const ask = async (email: string) => {
    // Each from an address of its own: those of one are counted.
    network += 1
    const answer = await world.call('POST', '/portal/link', {
      body: new URLSearchParams({ email }).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-forwarded-for': `10.1.${network >> 8}.${network & 255}`,
      },
    })
    return `${answer.status} ${digestOf(answer.text)}`
  }
  const workOf = async (email: string) => {
    writes = []
    const answer = await ask(email)
    const [work, ...others] = writes
    writes = null
    expect(others).toEqual([])
    return { ...work, answer }
  }

  it('means the same statements and the same bytes: known, unknown, and asked for a moment ago', async () => {
    await setProfile(world, 'user-1', { email: ADDRESSES[0] })
    await setProfile(world, 'user-2', { email: ADDRESSES[2] })
    await ask(ADDRESSES[2])
    await world.service.runner.runAll()
    expect(sink.messages).toHaveLength(1)
    const works = ADDRESSES.map((email) => ({ email, done: [] as Awaited<ReturnType<typeof workOf>>[] }))
    for (let round = 0; round < ROUNDS; round++) {
      world.clock.advance(6 * 60 * 1_000)
      await ask(ADDRESSES[2])
      for (const { email, done } of works) done.push(await workOf(email))
    }
    // The least of each: a page that is new, or first touched after a checkpoint, costs more once.
    const [known, ...others] = works.map(({ done }) => ({
      answers: new Set(done.map(({ answer }) => answer)),
      statements: new Set(done.map(({ statement }) => statement)),
      records: Math.min(...done.map(({ records = 0 }) => records)),
      bytes: Math.min(...done.map(({ bytes = 0 }) => bytes)),
    }))
    expect(known?.records).toBeGreaterThan(0)
    for (const other of others) expect(other).toEqual(known)
  })
})
