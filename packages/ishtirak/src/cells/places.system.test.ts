// Where the users of other cells are, as CELLS_FILE says it while a service runs. Users move between servers
// only, so this is of PostgreSQL alone.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { freshDatabase } from '../../../../test/support/databases.js'
import { waitFor } from '../../../../test/support/wait-for.js'
import type { Database } from '../database/database.js'
import { type Cell, readCellsFile } from '../runtime/cells.js'
import { createLog } from '../runtime/log.js'
import { claimDatabase } from './claim.sql.js'
import { watchPlaces } from './places.js'

const folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-places-'))
const cellsFile = path.join(folder, 'cells.json')
let database: Database
beforeAll(async () => {
  database = await freshDatabase('postgres')
})
afterAll(async () => {
  await database.close()
  rmSync(folder, { recursive: true })
})

/** As the command writes it: beside, and renamed. */
function write(...parts: readonly string[]): readonly Cell[] {
  const cells = ['a', 'b', 'c'].map((name, place) => ({
    ...{ name, parts: [parts[place]], servers: [`127.0.0.1:${3000 + place}`] },
  }))
  writeFileSync(`${cellsFile}.new`, JSON.stringify({ cells }))
  renameSync(`${cellsFile}.new`, cellsFile)
  return readCellsFile(cellsFile)
}

it('a move between two others is known when CELLS_FILE has it; another file changes nothing', async () => {
  const all = write('0-99', '100-199', '200-255')
  const own = all[2] as Cell
  await claimDatabase(database, own)
  const cells = { all, own }
  const log = createLog({ level: 'silent' })
  const warned = vi.spyOn(log, 'warn')
  const places = watchPlaces({ cells, cellsFile, database, log })
  try {
    await places.start()
    expect([50, 150, 250].map(places.of)).toEqual(['a', 'b', 'c'])
    writeFileSync(cellsFile, 'half of it')
    await waitFor(() => warned.mock.calls.length === 1)
    expect([50, 150, 250].map(places.of)).toEqual(['a', 'b', 'c'])
    write('0-49', '50-199', '200-255')
    await waitFor(
      () => places.of(50) === 'b',
      () => 'the move is not known',
    )
    expect([49, 150, 250].map(places.of)).toEqual(['a', 'b', 'c'])
  } finally {
    places.stop()
  }
})

it('who has a part is looked up after standing still, and busy while it is on its way', async () => {
  const all = write('0-99', '100-199', '200-255')
  const own = all[2] as Cell
  await claimDatabase(database, own)
  const places = watchPlaces({
    cells: { all, own },
    cellsFile,
    database,
    log: createLog({ level: 'silent' }),
  })
  try {
    await places.start()
    places.stop()
    // The timer does not come.
    await waitFor(() => places.of(250) === null)
    expect(await places.holderOf(250)).toBe(own)
    expect(await places.holderOf(50)).toMatchObject({ name: 'a', servers: ['127.0.0.1:3000'] })
    expect(places.whenKnown()).toBe(null)
    // Given to this cell by the file, and not here yet.
    write('0-99', '100-149', '150-255')
    await waitFor(async () => (await places.holderOf(150).catch(() => null)) === null)
    await expect(places.holderOf(150)).rejects.toMatchObject({ code: 'busy', retryAfterSeconds: 1 })
  } finally {
    places.stop()
  }
})
