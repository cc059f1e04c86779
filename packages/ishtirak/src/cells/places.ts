// Where each part of the users is now, as this process knows it: in this cell, on its way, or in another one.
// It looks again twice a second, also at CELLS_FILE, which says where users of other cells are. What it saw
// counts for two seconds.
import { statSync } from 'node:fs'
import { userOnTheirWay } from '../core/error.js'
import type { Database } from '../database/database.js'
import { type Cell, type CellPlaces, type Cells, type LiveCells, readCellsFile } from '../runtime/cells.js'
import { ConfigError } from '../runtime/config-file.js'
import type { Log } from '../runtime/log.js'
import { whereParts } from './places.sql.js'

const LOOK_MS = 500
/** For how long a look counts. A move waits as long between its fence and its decision. */
export const KNOWN_MS = 2_000

interface PlacesDeps {
  readonly cells: Cells
  readonly cellsFile: string
  readonly database: Database
  readonly log: Log
}

export interface WatchedPlaces extends CellPlaces, Pick<LiveCells, 'holderOf'> {
  start(): Promise<void>
  stop(): void
}

export function watchPlaces({ cells, cellsFile, database, log }: PlacesDeps): WatchedPlaces {
  const { own } = cells
  const read = readingChanges({ cells, cellsFile, log })
  let { all } = cells
  let here: ReadonlySet<number> = own.parts
  let onTheirWay: ReadonlySet<number> = new Set()
  // Where no look follows, in an embedded database: users move between servers only.
  let knownUntil = Number.POSITIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | null = null

  const look = async () => {
    const began = performance.now()
    const found = await whereParts(database, own.name)
    here = new Set(found.here)
    onTheirWay = new Set(found.onTheirWay)
    knownUntil = began + KNOWN_MS
    all = read()
  }
  const lookAgain = () => {
    looking ??= look()
      .catch((error: unknown) => log.debug({ err: error }, 'where the users are could not be read'))
      .finally(() => {
        looking = null
      })
    return looking
  }
  const isKnown = () => performance.now() <= knownUntil
  const whenKnown = () => (isKnown() ? null : lookAgain())
  const find = (part: number) => {
    if (!isKnown() || onTheirWay.has(part)) return null
    if (here.has(part)) return own
    const holder = all.find(({ parts }) => parts.has(part))
    return !holder || holder.name === own.name ? null : holder
  }
  return {
    whenKnown,
    of: (part) => find(part)?.name ?? null,
    holderOf: async (part) => {
      await whenKnown()
      const holder = find(part)
      if (!holder) throw userOnTheirWay()
      return holder
    },
    start: async () => {
      if (database.kind !== 'postgres') return
      await look()
      timer = setInterval(lookAgain, LOOK_MS)
      timer.unref()
    },
    stop: () => clearInterval(timer),
  }
}

/** The cells of the file, which is read again where it has changed; as they were where it is not usable. */
function readingChanges({ cells, cellsFile, log }: Omit<PlacesDeps, 'database'>): () => readonly Cell[] {
  let { all } = cells
  let version = ''
  return () => {
    const found = statSync(cellsFile, { throwIfNoEntry: false })
    const now = `${found?.ino} ${found?.mtimeMs}`
    if (version === now) return all
    version = now
    try {
      all = readCellsFile(cellsFile)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      log.warn({ problems: error.problems }, 'CELLS_FILE is not usable: the cells stay as they were')
    }
    return all
  }
}
