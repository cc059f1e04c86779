import { stat } from 'node:fs/promises'
import path from 'node:path'
import { backUpTo } from '../../packages/ishtirak/src/backup/backup.js'
import { openFolder } from '../../packages/ishtirak/src/database/embedded/pglite.js'
import { emptyPostgresUrl } from '../support/databases.js'
import { makeEmbeddedFolder } from '../support/embedded-folder.js'
import { freePort } from '../support/free-port.js'
import { runCommand } from '../support/process.js'
import { temporaryFolder } from '../support/temporary-folder.js'

it('`backup` and `restore` lead from the embedded database to a server', async () => {
  const folder = temporaryFolder()
  const file = path.join(folder, 'move.backup.gz')
  await makeEmbeddedFolder(folder)
  const database = await openFolder(path.join(folder, 'database'))
  await database.script("insert into document_series values ('TEST-2026', 7)")
  const PORT = String(await freePort())
  const busy = await runCommand(['backup', file], { DATA_DIR: folder, PORT })
  expect(busy).toMatchObject({ code: 1, output: expect.stringContaining(`in use by process ${process.pid}`) })
  const other = path.join(folder, 'other.backup.gz')
  await backUpTo(other, database, Date.now())
  const restoring = await runCommand(['restore', other], { DATA_DIR: folder, PORT })
  expect(restoring).toMatchObject({ code: 1, output: expect.stringContaining('Stop the service, or set') })
  await database.close()

  // An empty variable counts as unset.
  const saved = await runCommand(['backup', file], { DATA_DIR: folder, PORT, ISHTIRAK_URL: '' })
  expect(saved).toMatchObject({ code: 0, output: expect.stringContaining('document_series: 1') })
  expect((await stat(file)).mode & 0o777).toBe(0o600)

  const server = { DATABASE_URL: await emptyPostgresUrl() }
  const restored = await runCommand(['restore', file], server)
  expect(restored).toMatchObject({ code: 0, output: expect.stringContaining('document_series: 1') })
  expect(restored.output).toContain('ishtirak reconcile --since 2')
  const again = await runCommand(['restore', file], server)
  expect(again).toMatchObject({
    code: 1,
    output: expect.stringContaining('not empty, document_series has rows'),
  })
})
