import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { Command } from 'commander'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { OPERATOR_KEY } from '../../../../test/support/operator.js'
import { setProfile } from '../../../../test/support/profile.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { sql } from '../../../../test/support/sql.js'
import { temporaryFolder } from '../../../../test/support/temporary-folder.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import { commandHost } from '../main/command-host.js'
import { addBuyersCommand } from './cli-import.js'

const HEAD = 'user_id,kind,name,address,rc,nif,nis,ai,legal_form,capital,phone,email'
const ATLAS =
  'atlas,company,SARL Atlas,"12, rue Didouche, Alger",16/00-0123456 B 20,000216001808337,000216180833713,' +
  '16012345678,SARL,,,'

const selectTrail = sql(
  `select user_id, actor, act, before, after from audit where act <> 'operator.refused' order by user_id`,
)
const countUsers = sql('select count(*)::int as count from users')

interface Result {
  readonly line: number
  readonly user_id: string
  readonly outcome: string
  readonly errors: readonly { readonly field: string; readonly code: string }[]
}

const said = ({ line, user_id, outcome, errors }: Result) =>
  [`${line} ${user_id} ${outcome}`, ...errors.map(({ field, code }) => `${field} ${code}`)].join(', ')

describeWorld('buyers from a file', {}, ({ world, database }) => {
  beforeEach(async () => {
    for (const userId of ['atlas', 'lina', 'sara']) await setProfile(world, userId, { name: userId })
  })

  const send = async (file: string | Buffer, query = '', role: keyof typeof ROLE_KEYS = 'support') => {
    const answer = await fetch(`${world.url}/api/v1/operator/buyers/import${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ROLE_KEYS[role]}`, 'content-type': 'text/csv' },
      body: typeof file === 'string' ? file : new Uint8Array(file),
    })
    return { status: answer.status, body: await answer.json() }
  }
  const buyerOf = async (userId: string) =>
    (await world.as(userId).get('/api/v1/billing/buyer')).body as Readonly<Record<string, unknown>>
  const trail = () => database().query(selectTrail)

  it('are taken line by line, and the same file again changes nothing', async () => {
    const lines = [HEAD, ATLAS, 'lina,person,Lina,Oran,,,,,,,,', 'nobody,person,N,,,,,,,,,']
    const file = [...lines, 'sara,company,Sara,,,12,x,,,,,', 'lina,person,Other,,,,,,,,,', ''].join('\r\n')
    const first = await send(file)
    const { results, ...counts } = first.body
    const own = { dry_run: false, changed: 2, unchanged: 0, failed: 3 }
    expect([first.status, counts]).toEqual([200, own])
    expect(results.map(said)).toEqual([
      ...['2 atlas changed', '3 lina changed', '4 nobody failed, user_id invalid'],
      ...['5 sara failed, nif wrong_format, nis wrong_format', '6 lina failed, user_id not_allowed'],
    ])
    expect(await buyerOf('atlas')).toMatchObject({ address: '12, rue Didouche, Alger', complete: true })
    expect(await buyerOf('sara')).toMatchObject({ kind: null })
    const written = await trail()
    expect(written).toMatchObject([
      { user_id: 'atlas', actor: 'support', act: 'buyers.import', before: { kind: null } },
      { user_id: 'lina', after: { kind: 'person', name: 'Lina', address: 'Oran' } },
    ])
    expect((await send(file)).body).toMatchObject({ changed: 0, unchanged: 2, failed: 3 })
    expect(await trail()).toEqual(written)
    expect(await database().query(countUsers)).toEqual([{ count: 3 }])
  })

  it('are only looked at where it is asked for', async () => {
    expect((await send(`${HEAD}\n${ATLAS}`, '?dry_run=true')).body).toMatchObject({
      ...{ dry_run: true, changed: 1, results: [{ outcome: 'changed' }] },
    })
    expect([await buyerOf('atlas'), await trail()]).toMatchObject([{ kind: null }, []])
  })

  it('keep what the file has no column of; an empty cell clears', async () => {
    await send(`${HEAD}\n${ATLAS}`)
    await send('user_id;kind;phone;legal_form\natlas;company;0555 12 34 56;')
    const expected = { name: 'SARL Atlas', phone: '0555 12 34 56', legal_form: null, missing: ['legal_form'] }
    expect(await buyerOf('atlas')).toMatchObject(expected)
  })

  it('are read in UTF-8 with a mark, in windows-1252 and in windows-1256', async () => {
    const head = 'user_id;kind;name\natlas;company;'
    for (const [encoding, file, name] of [
      ['UTF-8 with a mark', Buffer.from(`\ufeff${head}شركة`), 'شركة'],
      ['windows-1252', Buffer.from(`${head}H\u00e9bergement`, 'latin1'), 'Hébergement'],
      ['windows-1256', Buffer.concat([Buffer.from(head), Buffer.from([0xd4, 0xd1, 0xdf, 0xc9])]), 'شركة'],
    ] as const) {
      expect([encoding, (await send(file)).body]).toMatchObject([encoding, { changed: 1 }])
      expect([encoding, await buyerOf('atlas')]).toMatchObject([encoding, { name }])
    }
  })

  it('say that a line has more cells than columns', async () => {
    const file = 'user_id,kind,name,address\natlas,company,Atlas,12, rue Didouche\nlina,person,Lina,Oran'
    const { body } = await send(file)
    expect(body).toMatchObject({ changed: 1, failed: 1 })
    expect(body.results[0].errors).toEqual([{ field: 'line', code: 'too_long' }])
  })

  it('are refused as a whole where the file cannot be read', async () => {
    for (const [file, extra] of [
      ['', { reason: 'empty' }],
      ['user_id,name\natlas,Atlas', { reason: 'columns', absent: ['kind'], unknown: [] }],
      ['user_id,kind,legalform\natlas,company,SARL', { reason: 'columns', unknown: ['legalform'] }],
      ['user_id,kind,kind\natlas,company,person', { reason: 'columns', unknown: ['kind'] }],
      ['user_id,kind,name\natlas,company,"Atlas', { reason: 'quotes' }],
      [`user_id,kind\n${'x,person\n'.repeat(10_001)}`, { reason: 'lines', most: 10_000 }],
    ] as const) {
      expect(await send(file)).toMatchObject({ status: 422, body: { code: 'file_not_accepted', ...extra } })
    }
  })

  it('are more than are changed at once, of which each is changed once', async () => {
    const ids = Array.from({ length: 501 }, (_, index) => `user-${index}`)
    await database().query(insertUsers, [ids])
    const file = ['user_id,kind,name', ...ids.map((id) => `${id},person,Name of ${id}`)].join('\n')
    expect((await send(file)).body).toMatchObject({ changed: 501, failed: 0 })
    expect(await trail()).toHaveLength(501)
    expect(await buyerOf('user-500')).toMatchObject({ name: 'Name of user-500' })
  })
})

const insertUsers = sql(
  `insert into users (user_id, created_at) select id, '2026-11-21T12:00:00Z' from unnest($1::text[]) id`,
)

describeScenario('the command that takes buyers from a file', ({ database }) => {
  let world: World
  let folder: string
  beforeEach(async () => {
    folder = temporaryFolder()
    world = await createWorld(database())
    process.env.OPERATOR_KEY = OPERATOR_KEY
    await setProfile(world, 'lina', { name: 'Lina' })
  })
  afterEach(async () => {
    delete process.env.OPERATOR_KEY
    process.exitCode = undefined
    await world.stop()
  })

  const run = async (lines: readonly string[], ...options: readonly string[]) => {
    const file = path.join(folder, 'buyers.csv')
    writeFileSync(file, lines.join('\n'))
    const program = new Command('ishtirak')
    addBuyersCommand(program, commandHost)
    const { write } = process.stdout
    let said = ''
    process.stdout.write = (text) => {
      said += String(text)
      return true
    }
    try {
      await program.parseAsync(['buyers', 'import', file, '--url', world.url, ...options], { from: 'user' })
    } finally {
      process.stdout.write = write
    }
    return said
  }
  const kindOf = async () => (await world.as('lina').get('/api/v1/billing/buyer')).body.kind
  const FILE = ['user_id,kind,nif', 'lina,person,', 'nobody,person,12']

  it('names the lines that fail with their fields, and exits with 1', async () => {
    const said = await run(FILE)
    expect(said).toMatch(/3 +nobody +failed +user_id invalid, nif wrong_format/)
    expect(said).toMatch(/2 +lina +changed/)
    expect([await kindOf(), process.exitCode]).toEqual(['person', 1])
    process.exitCode = undefined
    expect(await run(FILE.slice(0, 2))).toMatch(/unchanged +1/)
    expect(process.exitCode).toBeUndefined()
  })
})
