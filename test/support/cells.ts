// Services of several cells in one process, on real HTTP and each on a database of its own, with one clock
// and one provider; and, beside them, one service that has all users.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe } from 'vitest'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { PARTS, partOf } from '../../packages/ishtirak/src/runtime/cells.js'
import { movableClock } from '../../packages/ishtirak/src/runtime/clock.js'
import { DATABASE_KINDS } from './database-kinds.js'
import { type DatabaseKind, emptyAll, freshDatabase } from './databases.js'
import { emulatorAt } from './emulators.js'
import { freePort } from './free-port.js'
import { OPERATOR_ENV } from './operator.js'
import { createWorld, START, type World } from './world.js'

export const CELLS_KEY = 'a secret of the cells that is longer than 32 bytes'
const NAMES = ['a', 'b', 'c']

/** Describes the same promises once for each kind of database: three of them, empty before each test. */
export function describeCells(
  name: string,
  body: (databases: readonly Database[], kind: DatabaseKind) => void,
): void {
  describe.each(DATABASE_KINDS)(`${name} (%s)`, (kind) => {
    const databases: Database[] = []
    beforeAll(async () => {
      databases.push(...(await Promise.all(NAMES.map(() => freshDatabase(kind)))))
    })
    afterAll(() => Promise.all(databases.map((database) => database.close())))
    beforeEach(() => Promise.all(databases.map(emptyAll)))
    body(databases, kind)
  })
}

export interface CellWorlds extends AsyncDisposable {
  readonly worlds: readonly World[]
  /** Of the user's cell. */
  of(userId: string): World
  advance(seconds: number): Promise<void>
}

/** Ranges of one size; `addresses` in place of the services' own, by the cell. */
export async function createCells(
  databases: readonly Database[],
  options: {
    readonly env?: Record<string, string>
    readonly envOf?: (name: string) => Record<string, string>
    readonly addresses?: Readonly<Record<string, readonly string[]>>
  } = {},
): Promise<CellWorlds> {
  const { env, envOf, addresses = {} } = options
  const ports = await Promise.all(databases.map(() => freePort()))
  const size = Math.ceil(PARTS / databases.length)
  const cells = ports.map((port, place) => ({
    name: NAMES[place] ?? '',
    parts: [`${place * size}-${Math.min(PARTS, (place + 1) * size) - 1}`],
    servers: addresses[NAMES[place] ?? ''] ?? [`127.0.0.1:${port}`],
  }))
  const folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-cells-'))
  const file = path.join(folder, 'cells.json')
  writeFileSync(file, JSON.stringify({ cells }))
  const clock = movableClock(START)
  const emulator = await emulatorAt(clock)
  const worlds = await Promise.all(
    databases.map((database, place) => {
      const name = NAMES[place] ?? ''
      const own = { CELL: name, CELLS_FILE: file, CELLS_KEY, ...envOf?.(name) }
      const of = { host: 'none' as const, port: ports[place] ?? 0, clock, emulator }
      return createWorld(database, { env: { ...OPERATOR_ENV, ...env, ...own }, ...of })
    }),
  )
  return {
    worlds,
    of: (userId) => worlds[Math.floor(partOf(userId) / size)] ?? fail(userId),
    advance: async (seconds) => {
      await emulator.advance(seconds)
      for (const world of worlds) await world.service.runner.runAll()
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(worlds.map((world) => world.stop()))
      await emulator.close()
      rmSync(folder, { recursive: true })
    },
  }
}

function fail(userId: string): never {
  throw new Error(`no cell has ${userId}`)
}

/** Users whose ids begin so: as many of each cell. */
export function usersOfCells(cells: CellWorlds, each: number, begin = 'user-'): readonly string[] {
  const found = new Map(cells.worlds.map((world): [World, string[]] => [world, []]))
  for (let n = 0; [...found.values()].some((ids) => ids.length < each); n++) {
    const ids = found.get(cells.of(`${begin}${n}`))
    if (ids && ids.length < each) ids.push(`${begin}${n}`)
  }
  return [...found.values()].flat()
}
