// `ishtirak cells move`: users move to another cell while they are served.
import { exec } from 'node:child_process'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Command, InvalidArgumentError } from 'commander'
import { numberWithin } from '../acts/cli-values.js'
import { CommandFailed, type CommandHost } from '../acts/operator-client.js'
import { lockClosing } from '../books/closed.sql.js'
import { countReceiptsIn } from '../books/figures.sql.js'
import { markUsers } from '../books/paid-months.sql.js'
import type { Database } from '../database/database.js'
import { flushPath } from '../database/embedded/flush.js'
import { openDatabase } from '../database/open-database.js'
import { partsOf, rangesOf } from '../runtime/cells.js'
import { settingsOf, textSetting } from '../runtime/environment.js'
import { randomToken } from '../runtime/secret.js'
import { giveUpMove, type MoveDeps, MoveRefused, moveParts } from './move.js'
import { movedCells } from './moved-cells.js'

export interface MoveConfig {
  /** A command's alone: the database of the cell that users move to. */
  readonly moveTarget: string | undefined
}

export const moveSettings = settingsOf(
  { CELL_TO_DATABASE_URL: textSetting('postgres://…', /^postgres(ql)?:\/\/.+$/) },
  { read: ({ CELL_TO_DATABASE_URL: moveTarget }): MoveConfig => ({ moveTarget }) },
)

interface MoveOptions {
  readonly parts: readonly number[]
  readonly to: string
  readonly reload?: string
  readonly wait: number
  readonly back?: boolean
}

const WAIT = { minimum: 3, maximum: 60 }
const RECEIPTS_AT_ONCE = 500

export function addMoveCommand(cells: Command, host: CommandHost): void {
  cells
    .command('move')
    .description(
      'Move users to another cell while they are served. Run it as the cell that they leave, with ' +
        'CELL_TO_DATABASE_URL; a second run goes on where the first one ended',
    )
    .requiredOption('--parts <ranges>', 'such as 64-127, or several separated by commas', readParts)
    .requiredOption('--to <cell>', 'the cell that gets them')
    .option('--reload <command>', 'run when CELLS_FILE is written, as a shell does: it reloads the router')
    .option('--wait <seconds>', 'how long at most these users are refused', numberWithin(WAIT), 4)
    .option('--back', 'give up what has not moved yet')
    .action((options: MoveOptions) => move(host, options))
}

function readParts(text: string): readonly number[] {
  const parts = text.split(',').map((range) => partsOf(range.trim()))
  if (parts.some((range) => range === null)) throw new InvalidArgumentError('It is no list of ranges.')
  return [...new Set(parts.flatMap((range) => range ?? []))].sort((one, other) => one - other)
}

async function move(host: CommandHost, { parts, to, reload, wait, back }: MoveOptions): Promise<void> {
  const { cells, cellsFile: file, moveTarget: url, database, billing } = await host.config(moveSettings, {})
  if (!cells || file === undefined || url === undefined)
    throw new CommandFailed('CELL, CELLS_FILE and CELL_TO_DATABASE_URL are needed')
  const from = cells.own.name
  if (to === from || !cells.all.some(({ name }) => name === to))
    throw new CommandFailed(`CELLS_FILE has no other cell ${to}`)
  const route = async (moved: readonly number[]) => {
    writeWhole(file, movedCells(readFileSync(file, 'utf8'), moved, to))
    if (reload !== undefined) await promisify(exec)(reload)
  }
  const { dataDir: _, ...address } = database
  const target = await openDatabase({ ...address, url })
  try {
    await host.onDatabase(async (source) => {
      const deps = { ...partsOfMove(source, target, billing.timeZone), route, waitMs: wait * 1_000 }
      // A file that cannot be written, or a router that does not reload, is found out before anybody moves:
      // after the decision these users wait for both.
      if (!back) await route([]).catch(refuseRoute)
      await (back ? giveUpMove : moveParts)(deps, { from, to, parts })
    })
  } catch (error) {
    throw error instanceof MoveRefused ? new CommandFailed(error.message) : error
  } finally {
    await target.close()
  }
}

function refuseRoute(error: unknown): never {
  throw new MoveRefused(`nothing has moved: ${error instanceof Error ? error.message : error}`)
}

function partsOfMove(
  source: Database,
  target: Database,
  timeZone: string,
): Omit<MoveDeps, 'route' | 'waitMs'> {
  return {
    source,
    target,
    mover: randomToken(),
    countReceipts: async (s) => {
      await lockClosing(s)
      while ((await countReceiptsIn(s, RECEIPTS_AT_ONCE, timeZone)) > 0);
    },
    countMonths: (t, userIds) => markUsers(t, userIds, timeZone),
    onStep: (step, parts) => void process.stdout.write(`${step}: ${rangesOf(parts).join(', ')}\n`),
    sleep: (ms) => sleep(ms),
  }
}

/** Under its name is the old file or the new one, whenever the machine stops. */
function writeWhole(file: string, content: string): void {
  writeFileSync(`${file}.new`, content)
  flushPath(`${file}.new`)
  renameSync(`${file}.new`, file)
}
