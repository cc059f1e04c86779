// Which database a URL names.
import { expect, it } from 'vitest'
import { postgresUrl } from '../../../../test/support/databases.js'
import { statement } from './database.js'
import { openDatabase, UnknownDatabase } from './open-database.js'

const version = statement(
  'test.open.version',
  `select current_setting('server_version_num')::int8 as version`,
)

it('a postgres URL is a server', async () => {
  const database = await openDatabase({ url: await postgresUrl(), maxConnections: 2 })
  expect(database.kind).toBe('postgres')
  expect((await database.query(version))[0]?.version).toBeGreaterThanOrEqual(150_000)
  await database.close()
})

it('another URL is refused, without repeating it', async () => {
  for (const url of ['mysql://root@localhost/x', './data', ''] as const) {
    const error = await openDatabase({ url }).catch((thrown: unknown) => thrown)
    expect.soft(error, String(url)).toBeInstanceOf(UnknownDatabase)
    expect.soft(String(error), String(url)).not.toContain('root')
  }
})
