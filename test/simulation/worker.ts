import { once } from 'node:events'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { migrate, schemaFit } from '../../packages/ishtirak/src/database/migrate.js'
import { openDatabase } from '../../packages/ishtirak/src/database/open-database.js'
import { STEADY_PLANS } from './databases.js'
import { runSeed, SeedFailed } from './run-seed.js'

export type WorkerSettings = { url: string; days: number; processes: number | null; race: boolean }

export type WorkerResult = { readonly seed: number; readonly journal: readonly string[] } & (
  | { readonly kind: 'passed'; readonly figures: Record<string, number> }
  | { readonly kind: 'failed'; readonly rule: string; readonly evidence: string }
)

export function isWorker(): boolean {
  return process.env.SIMULATION_WORKER !== undefined
}

export async function work(): Promise<void> {
  // Written by command.ts.
  const settings = JSON.parse(process.env.SIMULATION_WORKER ?? '{}') as WorkerSettings
  const database = await openDatabase({ url: settings.url, maxConnections: 2 })
  if ((await schemaFit(database)).current === 0) await migrate(database)
  if (database.kind === 'pglite') await database.script(`set ${STEADY_PLANS}`)
  process.on('message', (seed) => {
    void runOne(Number(seed), settings, database).then((answer) => process.send?.(answer))
  })
  process.send?.('ready')
  await once(process, 'disconnect')
  await database.close()
}

async function runOne(
  seed: number,
  { days, processes, race }: WorkerSettings,
  database: Database,
): Promise<WorkerResult> {
  try {
    const chosen = processes === null ? {} : { processes }
    const { figures, journal } = await runSeed({ seed, days, database, race, ...chosen })
    return { kind: 'passed', seed, figures: figures.all(), journal }
  } catch (error) {
    if (!(error instanceof SeedFailed)) throw error
    const { rule, journal, cause } = error
    const evidence = cause instanceof Error ? String(cause.stack) : String(cause)
    return { kind: 'failed', seed, rule, evidence, journal }
  }
}
