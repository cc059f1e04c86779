import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { makeEmbeddedFolder } from '../../../../test/support/embedded-folder.js'
import { listen } from '../../../../test/support/listen.js'
import { temporaryFolder } from '../../../../test/support/temporary-folder.js'
import { CHARGILY_KEY, JWT_SECRET } from '../../../../test/support/world.js'
import { openFolder } from '../database/embedded/pglite.js'
import { examine } from './doctor.js'

const SHOP = { CHARGILY_SECRET_KEY: CHARGILY_KEY, CHARGILY_API_URL: 'http://127.0.0.1:9' }

async function databaseLine(env: Record<string, string>) {
  for await (const result of examine({ ...SHOP, AUTH_JWT_SECRET: JWT_SECRET, ...env }))
    if (result.subject === 'database') return result
  return undefined
}

it('none is made where there is none', async () => {
  const folder = path.join(tmpdir(), 'ishtirak-of-no-doctor')
  expect(await databaseLine({ DATA_DIR: folder })).toMatchObject({
    verdict: 'ok',
    found: `embedded: there is no database yet; the first start creates it in ${folder}`,
  })
  expect(existsSync(folder)).toBe(false)
})

it('the service that has it is asked on this machine: its public address may lead nowhere', async () => {
  const folder = temporaryFolder()
  await makeEmbeddedFolder(folder)
  const database = await openFolder(path.join(folder, 'database'))
  const service = await listen(createServer((_, answer) => answer.end()))
  onTestFinished(async () => {
    await service[Symbol.asyncDispose]()
    await database.close()
  })
  const { port } = new URL(service.url)
  const env = { DATA_DIR: folder, PORT: port, PUBLIC_URL: 'https://billing.invalid' }
  expect(await databaseLine(env)).toMatchObject({
    verdict: 'ok',
    found: `embedded, in use by the service at ${service.url}, which is ready`,
  })
})
