// `npm run nightly -- fuzz --calls 100000 --seed 1 [--database pglite|postgres|both] [--only 4711]`,
// or `npm run nightly -- fuzz --uploads 20000` for files sent as proofs of transfers.
import { randomInt } from 'node:crypto'
import { Command, Option } from 'commander'
import { numberWithin } from '../../packages/ishtirak/src/acts/cli-values.js'
import { migrate } from '../../packages/ishtirak/src/database/migrate.js'
import { openDatabase } from '../../packages/ishtirak/src/database/open-database.js'
import { createLog } from '../../packages/ishtirak/src/runtime/log.js'
import { openDatabases } from '../simulation/databases.js'
import { withProgress } from '../support/progress.js'
import { type Fuzzed, type FuzzOptions, fuzz } from './fuzz.js'
import { fuzzUploads } from './uploads.js'

type Given = { calls: number; uploads?: number; seed?: number; database: string; only?: number }

export async function run(args: readonly string[]): Promise<boolean> {
  const count = numberWithin({ minimum: 1 })
  const given = new Command('npm run nightly -- fuzz')
    .description('Sends odd calls to every route, or odd files as proofs, and judges every answer')
    .option('--calls <number>', 'how many calls', count, 10_000)
    .option('--uploads <number>', 'instead: how many files', count)
    .option('--seed <number>', 'the same number draws the same calls (default: any)', numberWithin({}))
    .addOption(new Option('--database <kind>').choices(['pglite', 'postgres', 'both']).default('both'))
    .option('--only <number>', 'this call alone, to debug it', numberWithin({}))
    .parse(args, { from: 'user' })
    .opts<Given>()
  const { calls, seed = randomInt(1_000_000), only, uploads = 0 } = given
  const options: FuzzOptions = { calls, seed, ...(only === undefined ? {} : { only }) }
  const kinds = (['pglite', 'postgres'] as const).filter((kind) => ['both', kind].includes(given.database))
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
  const database = await openDatabase({ url, log, onFailure: () => process.exit(1) })
  try {
    await migrate(database)
    if (bodies > 0) {
      const uploaded = await withProgress('files', ({ at }) =>
        fuzzUploads(database, { seed: options.seed, bodies, onBody: at }),
      )
      say(JSON.stringify(uploaded))
      return uploaded.faults.length === 0
    }
    const fuzzed = await withProgress('calls', ({ at }) => fuzz(database, { ...options, onCall: at }))
    say(report(fuzzed))
    const { faults, changedTables, untouched } = fuzzed
    return [...faults, ...changedTables, ...untouched].length === 0
  } finally {
    await database.close()
  }
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
