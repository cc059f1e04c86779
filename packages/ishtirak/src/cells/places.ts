// Where each part of the users is now, as this process knows it: in this cell, on its way, or in another one.
// It looks again twice a second, also at CELLS_FILE, which says where users of other cells are; who has not
// looked for two seconds knows nothing.
import { statSync } from 'node:fs'
import type { Database } from '../database/database.js'
import { type CellPlaces, type Cells, readCellsFile } from '../runtime/cells.js'
import { ConfigError } from '../runtime/config-file.js'
import type { Log } from '../runtime/log.js'
import { whereParts } from './places.sql.js'

const LOOK_MS = 500
/** A move waits so long between its fence and its decision. */
export const KNOWN_MS = 2_000

interface PlacesDeps {
  readonly cells: Cells
  readonly cellsFile: string
  readonly database: Database
  readonly log: Log
}

export interface WatchedPlaces extends CellPlaces {
  start(): Promise<void>
  stop(): void
}

export function watchPlaces({ cells, cellsFile, database, log }: PlacesDeps): WatchedPlaces {
  const { own } = cells
  let { all } = cells
  let here: ReadonlySet<number> = own.parts
  let onTheirWay: ReadonlySet<number> = new Set()
  // Users move between servers only.
  let knownUntil = Number.POSITIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let version = ''
  let looking: Promise<void> | null = null

  const look = async () => {
    const began = performance.now()
    const found = await whereParts(database, own.name)
    here = new Set(found.here)
    onTheirWay = new Set(found.onTheirWay)
    knownUntil = began + KNOWN_MS
    readIfChanged()
  }
  const readIfChanged = () => {
    const found = statSync(cellsFile, { throwIfNoEntry: false })
    const now = `${found?.ino} ${found?.mtimeMs}`
    if (version === now) return
    version = now
    try {
      all = readCellsFile(cellsFile)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      log.warn({ problems: error.problems }, 'CELLS_FILE is not usable: the cells stay as they were')
    }
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
  return {
    whenKnown: () => (isKnown() ? null : lookAgain()),
    of: (part) => {
      if (!isKnown() || onTheirWay.has(part)) return null
      if (here.has(part)) return own.name
      const holder = all.find(({ parts }) => parts.has(part))?.name ?? own.name
      return holder === own.name ? null : holder
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
