// What was booked can be shown to be as it was booked: by the chain, by heads that others hold, and by lines
// that sha256sum reads.
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Command } from 'commander'
import { describeOnEach, freshDatabase } from '../../../../test/support/databases.js'
import { ENTERED_COMPANY } from '../../../../test/support/fixtures.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { receivingWorld } from '../../../../test/support/receiving-world.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { readMessage, sinkOfTests } from '../../../../test/support/smtp-sink.js'
import { sql } from '../../../../test/support/sql.js'
import { addOperatorCommands } from '../acts/commands.js'
import { restoreBackup, writeBackup } from '../backup/backup.sql.js'
import { setBuyer } from '../buyers/set-buyer.js'
import { CAPABILITIES } from '../main/capabilities.js'
import { commandHost } from '../main/command-host.js'
import { privacy } from '../privacy/privacy.js'
import { sealBooks } from './seal-books.js'

import { sealedLines } from './seals.sql.js'
import { headsIn, verifyBooks } from './verify-books.js'

const sink = await sinkOfTests()
const MAIL = { SMTP_URL: sink.url, OPERATOR_MAIL: 'amina@example.dz', OPERATOR_MAIL_LOCALE: 'en' }
const acts = sql('select id from audit order by user_id')
const snapshots = sql('select payment_id, snapshot, salt from documents')
const newest = sql('select position, hash from seals order by position desc limit 1')
const counts = sql('select count(*)::int as seals, max(position) as last from seals')

describeOnEach('sealed books', (context) => {
  const { kind, database } = context
  const { receiver, world } = receivingWorld(context, { BALANCE_MAX: '50000', ...MAIL })

  const owner = () => operatorOf(world, ROLE_KEYS.owner)
  const seal = () => sealBooks(world.service.parts)
  const verify = async (heads = '') => {
    const headers = { authorization: `Bearer ${ROLE_KEYS.accountant}` }
    const { body } = await world.call('POST', '/api/v1/operator/books/verification', { headers, body: heads })
    return body.found
  }
  /** As somebody does who has the database. */
  const tamper = (change: string) => {
    const all = ['documents', 'balance_entries', 'audit', 'seals', 'seal_heads']
    const each = (what: string) => all.map((table) => `alter table ${table} ${what} trigger user;`).join('')
    return database().script(`${each('disable')} ${change}; ${each('enable')}`)
  }
  /** The service runs in each of the years. */
  const until = async (time: string) => {
    const go = (to: string) => world.advance((Date.parse(to) - world.clock.now()) / 1_000)
    for (let year = new Date(world.clock.now()).getUTCFullYear(); year < Number(time.slice(0, 4)); year++)
      await go(`${year}-12-01T12:00:00Z`)
    await go(time)
  }
  /** Seals behind a position, one further or one back. */
  const shift = (behind: number, by: number) =>
    `update seals set position = position + 1000 where position > ${behind};
     update seals set position = position - 1000 + ${by} where position > 1000`
  const headNow = async () => {
    const [row] = await database().query(newest)
    return `${row?.position} ${row?.hash}`
  }
  const lines = () => sealedLines(database(), 0, 100)
  /** Three documents, a balance entry, and the acts of user-1 and of user-2. */
  const book = async () => {
    for (const user of ['user-1', 'user-2', 'user-3']) await world.as(user).buy()
    await owner().post('/users/user-1/correct', { amount: 500, note: 'a gift', why: 'x' })
    await owner().post('/users/user-2/grant', { days: 3, why: 'an outage' })
    const [one, two] = await database().query(acts)
    return { first: String(one?.id), second: String(two?.id) }
  }
  const document = (number: number) => ({ kind: 'document', entry: `TEST-2026-00000${number}` })
  const forge = `insert into audit (user_id, id, acted_at, actor, act, before, after)
                 values ('', 'act_forged', '2026-01-01', 'eve', 'user.grant', '{}', '{}')`

  it('holds all that was booked before it began, and names an entry that was changed', async () => {
    const { first } = await book()
    expect([await seal(), await seal(), await verify()]).toEqual([6, 0, null])
    await tamper(`update documents set snapshot = snapshot || '{"x": 1}' where number = 2`)
    expect(await verify()).toEqual({ what: 'changed', position: 2, ...document(2) })
    await tamper(`update documents set snapshot = snapshot - 'x' where number = 2;
                  update balance_entries set note = 'another'; update audit set reason = 'another'`)
    const entry = { kind: 'balance_entry', entry: 'user-1 1' }
    expect(await verify()).toEqual({ what: 'changed', position: 4, ...entry })
    await tamper(`update balance_entries set note = 'a gift'`)
    expect(await verify()).toEqual({ what: 'changed', position: 5, kind: 'act', entry: first })
  })

  it('names the first document of a seller whose data were changed or removed', async () => {
    await book()
    await seal()
    await tamper(`update seller_versions set seller = seller || '{"x": 1}'`)
    expect(await verify()).toEqual({ what: 'changed', position: 1, ...document(1) })
    await tamper(`delete from seller_versions`)
    expect(await verify()).toEqual({ what: 'changed', position: 1, ...document(1) })
  })

  it('names an entry that was removed, with its seal or without', async () => {
    const { first } = await book()
    await seal()
    await tamper(`delete from audit where id = '${first}'`)
    expect(await verify()).toEqual({ what: 'removed', position: 5, kind: 'act', entry: first })
    await tamper('delete from seals where position = 5')
    expect(await verify()).toEqual({ what: 'removed', position: 5, kind: null, entry: null })
    await tamper(`delete from seals where position = 2; ${shift(2, -1)}`)
    expect(await verify()).toEqual({ what: 'removed', position: 2, ...document(2) })
  })

  it('names an entry that was inserted, with a seal or without', async () => {
    await book()
    await seal()
    await tamper(forge)
    const forged = { kind: 'act', entry: 'act_forged' }
    expect([await seal(), await verify()]).toEqual([0, { what: 'inserted', position: null, ...forged }])
    const sealed = (hash: string) => `insert into seals (position, kind, series, number, act_id, form, hash)
                                      values (5, 'act', '', 0, 'act_forged', 1, '${hash}')`
    await tamper(`${shift(4, 1)}; ${sealed('a'.repeat(64))}`)
    expect(await verify()).toEqual({ what: 'inserted', position: 5, ...forged })
    // With the hash that it would have there.
    const [before, made] = (await lines()).slice(3)
    await tamper(`delete from seals where position = 5; ${sealed(sha256(before?.hash, made?.content))}`)
    expect(await verify()).toEqual({ what: 'inserted', position: 5, ...forged })
  })

  it('names an entry that was moved', async () => {
    await book()
    await seal()
    const swap = `update seals set position = 1000 where position = 2;
                  update seals set position = 2 where position = 3;
                  update seals set position = 3 where position = 1000`
    await tamper(swap)
    expect(await verify()).toEqual({ what: 'moved', position: 2, ...document(3) })
    // The first behind the third.
    await tamper(`${swap}; update seals set position = 1000 where position = 1;
                  update seals set position = 1 where position = 2;
                  update seals set position = 2 where position = 3;
                  update seals set position = 3 where position = 1000`)
    expect(await verify()).toEqual({ what: 'moved', position: 3, ...document(1) })
  })

  it('shows by a head that somebody kept what was removed at the end, or sealed anew', async () => {
    await book()
    await seal()
    const kept = await headNow()
    await tamper('delete from seals where position = 6')
    expect(await verify()).toEqual({ what: 'cut', position: 6, kind: null, entry: null })
    await tamper(`delete from seal_heads; delete from audit where user_id = 'user-2'`)
    expect([await verify(), await verify(`kept: no\n  ${kept} of the mail\n`)]).toMatchObject([
      null,
      { what: 'cut', position: 6 },
    ])
    await owner().post('/users/user-3/grant', { days: 3, why: 'another' })
    await seal()
    expect([await verify(), await verify(kept)]).toMatchObject([null, { what: 'resealed', position: 6 }])
    expect(await runVerify(kept)).toEqual([1, expect.stringContaining('a head is another one')])
    expect(await runVerify(await headNow())).toEqual([0, expect.stringContaining('hash')])
  })

  it('reads heads from any file, in time that grows with its size alone', () => {
    const hash = 'a'.repeat(64)
    const heads = [{ position: 812, hash }]
    const begun = performance.now()
    for (const blank of ['\n', ' ', '\r\n', ' \n', '1', '1\n', '\u2028'])
      expect(headsIn(`812 ${hash}\n${blank.repeat(200_000)}`)).toEqual(heads)
    expect(performance.now() - begun).toBeLessThan(2_000)
    const mailed = `812 ${hash.slice(0, 53)}=\r\n${hash.slice(53)}\r\n`
    for (const kept of [`\uFEFF812 ${hash}\r\n`, `kept:\r\n\t812 ${hash} {"form" : 1}`, mailed])
      expect(headsIn(kept)).toEqual(heads)
    for (const odd of ['', '\0\xff', `812 ${hash}a`, `812  ${hash}`, `x 812 ${hash}`])
      expect(headsIn(odd)).toEqual([])
  })

  it('grows once, whatever seals at one time, in the order of numbers', async () => {
    await book()
    await Promise.all([seal(), seal(), seal()])
    await world.as('user-4').buy()
    await Promise.all([seal(), seal()])
    expect(await database().query(counts)).toEqual([{ seals: 7, last: 7 }])
    expect(await verify()).toBeNull()
    const numbers = (await lines()).flatMap(({ content }) => JSON.parse(String(content)).number ?? [])
    expect(numbers).toEqual([1, 2, 3, 4])
  })

  it('sends the head of a day once by mail and as an event, again until it is taken', async () => {
    await book()
    sink.answer = (command) => (command === '.' ? '451 later' : undefined)
    receiver.headStatus = 500
    await seal()
    sink.answer = () => undefined
    receiver.headStatus = 204
    sink.messages.length = 0
    for (let round = 0; round < 3; round++) await seal()
    const kept = await headNow()
    const [position, hash] = kept.split(' ')
    const data = { day: '2026-11-20', position: Number(position), hash }
    expect(receiver.heads.map(({ event }) => event.data)).toEqual([data, data])
    expect(new Set(receiver.heads.map(({ id }) => id)).size).toBe(1)
    const [message, ...more] = sink.messages
    if (!message) throw new Error('no mail came')
    const { headers, parts } = readMessage(message)
    expect([headers.subject, more]).toEqual(['Sealed books: 2026-11-20', []])
    expect(await verify(parts['text/plain']?.toString())).toBeNull()
    expect(parts['text/plain']?.toString()).toContain(kept)
    world.clock.advance(86_400_000)
    await seal()
    expect(receiver.heads.at(-1)?.event.data).toMatchObject({ day: '2026-11-21' })
    // A clock that ran ahead for a moment holds up no later head.
    const now = world.clock.now() + 30 * 86_400_000
    await sealBooks({ ...world.service.parts, clock: { now: () => now } })
    await world.as('user-9').buy()
    world.clock.advance(86_400_000)
    await seal()
    expect(receiver.heads.at(-1)?.event.data).toMatchObject({ day: '2026-11-22' })
  })

  it('goes on in a database that was restored from a backup', async () => {
    await book()
    await seal()
    const backup: string[] = []
    await writeBackup(database(), world.clock.now(), (line) => void backup.push(line))
    const restored = await freshDatabase(kind)
    onTestFinished(() => restored.close())
    await restoreBackup(restored, () => asyncOf(backup), world.clock.now())
    await restored.script(forge.replace('2026-01-01', new Date(world.clock.now()).toISOString()))
    expect(await sealBooks({ ...world.service.parts, database: restored })).toBe(1)
    expect((await verifyBooks({ ...world.service.parts, database: restored }, [])).found).toBeNull()
    const [sixth, seventh] = (await sealedLines(restored, 5, 9)).map(({ hash }) => hash)
    expect([`6 ${sixth}`, seventh]).toEqual([await headNow(), expect.stringMatching(/^[0-9a-f]{64}$/)])
  })

  it('exports lines that sha256sum alone checks, the same in every session', async () => {
    await book()
    await seal()
    const { text } = await owner().get('/books/seals')
    let hash = ''
    for (const line of text.trimEnd().split('\n')) {
      const [, position, sealed, content] = /^(\d+) ([0-9a-f]{64}) (\{.*\})$/.exec(line) ?? []
      hash = sha256(hash, content)
      expect([position, sealed]).toEqual([position, hash])
    }
    expect(text.trimEnd().split('\n')).toHaveLength(6)
    expect((await owner().get('/books/seals?after=5')).text).toBe(`${text.trimEnd().split('\n').at(-1)}\n`)
    const elsewhere = await database().transaction(async (transaction) => {
      await transaction.script(`set local timezone = 'Asia/Tokyo'; set local datestyle = 'SQL, DMY';
        set local extra_float_digits = 0; set local intervalstyle = 'iso_8601'`)
      return sealedLines(transaction, 0, 100)
    })
    // The export is an act itself.
    expect(elsewhere).toEqual(await lines())
  })

  it('seals every column, in a text that stays', async () => {
    await book()
    await database().script(`insert into audit (user_id, id, acted_at, actor, act, reason, before, after)
      values ('zoé', 'act_1', '2026-11-20T11:00:00.25Z', 'amina', 'user.grant', E'line\\n"two" é',
              '{"b": 1.50, "a": null}', '[]')`)
    await seal()
    const contents = (await lines()).map(({ content }) => String(content))
    expect(contents.find((content) => content.includes('act_1'))).toBe(
      '{"form" : 1, "kind" : "act", "user_id" : "zoé", "id" : "act_1", ' +
        '"acted_at" : "2026-11-20T11:00:00.25", "actor" : "amina", "act" : "user.grant", ' +
        '"reason" : "line\\n\\"two\\" é", "payment_id" : null, "before" : {"a": null, "b": 1.50}, ' +
        '"after" : [], "asked" : null, "operation_id" : null}',
    )
    // The salt is no fact, and goes with the buyer.
    const unsealed = ['salt']
    const stored = { document: 'documents', balance_entry: 'balance_entries', act: 'audit' }
    for (const [kind, table] of Object.entries(stored)) {
      const sealed = JSON.parse(contents.find((content) => content.includes(`"kind" : "${kind}"`)) ?? '')
      const renamed = kind === 'act' ? [] : [kind === 'document' ? 'document' : 'entry']
      const rows = await database().query(columns, [table])
      const facts = rows.filter(({ name }) => !unsealed.includes(String(name)))
      const names = facts.map(({ name }) => (name === 'kind' ? renamed[0] : name))
      expect(Object.keys(sealed).sort()).toEqual([...names, 'form', 'kind'].sort())
    }
  })

  it('stay whole when documents lose their buyers, ten years after the end of their year', async () => {
    await world.as('user-1', { name: 'Lina Zubayda', email: 'zubayda@example.dz' }).buy()
    await seal()
    const print = async () => {
      const [row] = await database().query(snapshots)
      const { status } = await owner().get(`/payments/${row?.payment_id}/receipt`)
      return [status, JSON.stringify(row).includes('ubayda'), row?.salt !== null]
    }
    const sealed = await lines()
    expect([await print(), JSON.stringify(sealed).includes('ubayda')]).toEqual([[200, true, true], false])
    // A clock that ran ahead for a moment removes nothing: the books were not sealed in those years.
    const ahead = { ...world.service.parts, clock: { now: () => Date.parse('2040-01-02T12:00:00Z') } }
    for (let round = 0; round < 2; round++) {
      await sealBooks(ahead)
      for (const job of privacy.jobs?.(ahead) ?? []) expect(await job.run(() => true)).toBe(0)
    }
    await until('2036-12-31T22:59:00Z')
    expect(await print()).toEqual([200, true, true])
    await until('2037-01-01T22:59:00Z')
    expect(await print()).toEqual([200, false, false])
    expect([(await lines()).slice(0, 1), await verify()]).toEqual([sealed, null])
    const rename = `update documents set snapshot = jsonb_set(snapshot, '{buyer,name}', '"Eve"')`
    await expect(database().script(rename)).rejects.toThrow('append-only')
    await tamper(rename)
    expect(await verify()).toEqual({ what: 'changed', position: 1, ...document(1) })
  })

  it('hold by a hash the buyer of a correction, also when the first buyer was removed', async () => {
    await setBuyer(world.service.parts, { userId: 'user-1' }, ENTERED_COMPANY)
    const { paymentId } = await world.as('user-1').buy()
    await until('2037-01-02T12:00:00Z')
    const corrected = await owner().post(`/payments/${paymentId}/correct-invoice`, { why: 'a new address' })
    await seal()
    const documents = (await lines()).filter(({ content }) => content?.includes('"kind" : "document"'))
    expect([corrected.status, documents.length, await verify()]).toEqual([200, 3, null])
    expect(JSON.stringify(documents)).not.toContain(ENTERED_COMPANY.name)
  })

  it('name a document that was changed beside its buyer, or that had no salt', async () => {
    await book()
    await tamper('update documents set salt = null where number = 3')
    await seal()
    const name = `'{buyer,name}'`
    await tamper(`update documents set snapshot = jsonb_set(snapshot, ${name}, '"Eve"') where number = 3`)
    expect(await verify()).toEqual({ what: 'changed', position: 3, ...document(3) })
    await tamper(`update documents set snapshot = snapshot || '{"poNumber": null}' where number = 2`)
    expect(await verify()).toEqual({ what: 'changed', position: 2, ...document(2) })
    await tamper(`update documents set snapshot = '"no object"' where number = 1`)
    expect(await verify()).toEqual({ what: 'changed', position: 1, ...document(1) })
  })

  it('name a document that lost its buyer too early, or more than its buyer', async () => {
    await book()
    await seal()
    const remove =
      'update documents set snapshot = without_buyer(snapshot, salt), salt = null where number = 2'
    for (const also of ['duty_centimes = 7', `salt = gen_random_uuid()`, `snapshot = '{"removed": "x"}'`])
      await expect(database().script(remove.replace('salt = null', also))).rejects.toThrow()
    await database().script(remove)
    expect(await verify()).toEqual({ what: 'changed', position: 2, ...document(2) })
  })

  it('has nothing to check before the first seal', async () => {
    expect([await seal(), await verify(), await database().query(newest)]).toEqual([0, null, []])
  })

  /** The code that the process would end with, and what was printed. */
  const runVerify = async (heads: string) => {
    const file = path.join(tmpdir(), `heads-${process.pid}.txt`)
    writeFileSync(file, heads)
    let printed = ''
    const keep = (text: string | Uint8Array) => {
      printed += text
      return true
    }
    for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'write').mockImplementation(keep)
    vi.stubEnv('ISHTIRAK_URL', world.url)
    vi.stubEnv('OPERATOR_KEY', ROLE_KEYS.owner)
    try {
      const program = new Command('ishtirak')
      addOperatorCommands(program, CAPABILITIES, commandHost)
      await program.parseAsync(['books', 'verify', '--from', file], { from: 'user' })
      return [process.exitCode ?? 0, printed]
    } finally {
      process.exitCode = undefined
      vi.restoreAllMocks()
      vi.unstubAllEnvs()
    }
  }
})

const columns = sql(`select column_name as name from information_schema.columns
  where table_schema = current_schema() and table_name = $1 and is_generated = 'NEVER'`)

const sha256 = (before = '', content: string | null = '') =>
  createHash('sha256')
    .update(before + content)
    .digest('hex')

async function* asyncOf(lines: readonly string[]) {
  yield* lines
}
