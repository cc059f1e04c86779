import { join } from 'node:path'
import type { Child } from '../../../../../test/support/child-process.js'
import { runBuilt } from '../../../../../test/support/compiled-sources.js'
import { makeEmbeddedFolder } from '../../../../../test/support/embedded-folder.js'
import { sql } from '../../../../../test/support/sql.js'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.js'
import { openFolder } from './pglite.js'

const count = sql('select count(*) as count from kept')

let folder = ''
const children: Child[] = []
beforeEach(async () => {
  const parent = temporaryFolder()
  await makeEmbeddedFolder(parent)
  folder = join(parent, 'database')
})
afterEach(() => Promise.all(children.map((child) => child.kill())))

it('what was acknowledged survives kill -9, twice', async () => {
  const storm = `
    import { openFolder } from './main/internal.js'
    const database = await openFolder(process.argv[2])
    await database.script('create table if not exists kept (value integer)')
    const insert = { name: 'insert', text: 'insert into kept (value) values ($1)' }
    for (let value = 0; ; value++) {
      await database.query(insert, [value])
      console.log(value)
    }`
  let acknowledged = 0
  for (let round = 1; round <= 2; round++) {
    const child = runBuilt(storm, folder)
    children.push(child)
    await expect.poll(() => child.lines.length).toBeGreaterThan(50)
    await child.kill()
    acknowledged += child.lines.length
    const database = await openFolder(folder)
    const [row] = await database.query(count)
    // Each round may have committed one more write whose answer was cut off.
    expect(row?.count).toBeGreaterThanOrEqual(acknowledged)
    expect(row?.count).toBeLessThanOrEqual(acknowledged + round)
    await database.close()
  }
})
