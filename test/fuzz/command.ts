// `npm run fuzz -- --calls 100000 --seed 1 [--database pglite|postgres|both] [--only 4711]`,
// or `npm run fuzz -- --uploads 20000` for files sent as proofs of transfers.
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { migrate } from '../../packages/ishtirak/src/database/migrate.js'
import { openDatabase } from '../../packages/ishtirak/src/database/open-database.js'
import { createLog } from '../../packages/ishtirak/src/runtime/log.js'
import { openDatabases } from '../simulation/databases.js'
import { type Fuzzed, type FuzzOptions, fuzz } from './fuzz.js'
import { fuzzUploads } from './uploads.js'

export async function run(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      calls: { type: 'string', default: '10000' },
      seed: { type: 'string' },
      database: { type: 'string', default: 'both' },
      only: { type: 'string' },
      uploads: { type: 'string' },
    },
  })
  const options: FuzzOptions = {
    calls: Number(values.calls),
    seed: Number(values.seed ?? randomInt(1_000_000)),
    ...(values.only === undefined ? {} : { only: Number(values.only) }),
  }
  const kinds = (['pglite', 'postgres'] as const).filter((kind) => ['both', kind].includes(values.database))
  if (kinds.length === 0 || !Number.isInteger(options.calls) || !Number.isInteger(options.seed)) {
    say('--calls and --seed are whole numbers, --database is pglite, postgres or both')
    return false
  }
  const uploads = Number(values.uploads ?? 0)
  let isSound = true
  for (const kind of kinds) {
    say(`${kind}, seed ${options.seed}, ${uploads > 0 ? `${uploads} uploads` : `${options.calls} calls`}`)
    const databases = await openDatabases(kind, 1)
    try {
      isSound = (await runOn(databases.urls[0] ?? '', options, uploads)) && isSound
    } finally {
      await databases.remove()
    }
  }
  return isSound
}

async function runOn(url: string, options: FuzzOptions, bodies: number): Promise<boolean> {
  const log = createLog({ level: 'fatal' })
  const database = await openDatabase({ url, dataDir: '', log, onFailure: () => process.exit(1) })
  try {
    await migrate(database)
    if (bodies > 0) {
      const uploaded = await fuzzUploads(database, { seed: options.seed, bodies })
      say(JSON.stringify(uploaded))
      return uploaded.faults.length === 0
    }
    const fuzzed = await fuzz(database, options)
    say(report(fuzzed))
    return isWell(fuzzed)
  } finally {
    await database.close()
  }
}

export function isWell({ faults, changedTables, untouched }: Fuzzed): boolean {
  return faults.length === 0 && changedTables.length === 0 && untouched.length === 0
}

function report({ calls, statuses, untouched, changedTables, faults }: Fuzzed): string {
  const sorted = Object.entries(statuses).sort(([one], [other]) => one.localeCompare(other))
  return [
    `  answered                  ${calls}`,
    ...sorted.map(([status, count]) => `  ${status.padEnd(25)} ${count}`),
    `  changed without credentials: ${changedTables.join(', ') || 'nothing'}`,
    ...(untouched.length > 0 ? [`  FAULT no call was about ${untouched.join(', ')}`] : []),
    `  faults: ${faults.length}`,
    ...faults.slice(0, 20).map((fault) => `  FAULT ${fault}`),
  ].join('\n')
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
