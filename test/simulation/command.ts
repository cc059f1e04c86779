// A broken rule ends the run with the seed, the last steps and the command that repeats it.
import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { Command, Option } from 'commander'
import { numberWithin } from '../../packages/ishtirak/src/acts/cli-values.js'
import { type Progress, withProgress } from '../support/progress.js'
import { openDatabases } from './databases.js'
import { SimulationFigures } from './figures.js'
import { isWorker, type WorkerResult, type WorkerSettings, work } from './worker.js'

export async function run(args: readonly string[]): Promise<boolean> {
  if (isWorker()) {
    await work()
    return true
  }
  const options = readOptions(args)
  const startedAt = performance.now()
  const seeds = options.to - options.from + 1
  console.log(`${seeds} seeds of ${options.days} days on ${options.database}, ${options.workers} workers`)
  const figures = new SimulationFigures()
  const failed = await withProgress('seeds', (progress) => runAll(options, figures, progress))
  const seconds = (performance.now() - startedAt) / 1000
  console.log(`\n${figures.describe()}`)
  console.log(`\n${figures.of('seeds')} of ${seeds} seeds in ${seconds.toFixed(1)} s`)
  if (failed) console.log(describeFailure(failed, options))
  const isWhole = failed !== null || figures.of('seeds') === seeds
  if (!isWhole) console.log('a worker ended before its seeds')
  else if (failed === null) console.log('every rule held')
  return failed === null && isWhole
}

interface Options {
  readonly from: number
  readonly to: number
  readonly days: number
  readonly database: 'pglite' | 'postgres'
  readonly processes: number | null
  readonly workers: number
  readonly race: boolean
  readonly trace: boolean
}

/** `7`, or `1-2000`. */
function seedsIn(text: string): Seeds {
  const [from = '', to = from] = text.split(/(?<=.)-/)
  const seed = numberWithin({ minimum: 0 })
  const first = seed(from)
  return [first, numberWithin({ minimum: first })(to)]
}

function readOptions(args: readonly string[]): Options {
  const count = numberWithin({ minimum: 1 })
  const { seeds, processes, ...given } = new Command('npm run nightly -- simulate')
    .description('Simulates shops for some months, with faults, and holds every step against the rules')
    .option('--seed <seed>', 'one seed', seedsIn)
    .option('--seeds <from-to>', 'a range of seeds, such as 1-2000', seedsIn)
    .option('--days <number>', 'simulated days of each seed', count, 120)
    .addOption(new Option('--database <kind>').choices(['pglite', 'postgres']).default('pglite'))
    .option(
      '--processes <number>',
      'processes of the service on one database, 1 or 2 (default: by the seed)',
      numberWithin({ minimum: 1, maximum: 2 }),
    )
    .option('--workers <number>', 'how many at the same time', count, availableParallelism())
    .option(
      '--race',
      'several steps at the same time, so that they meet in the server’s locks: no exact replay then',
      false,
    )
    .option('--trace', 'print every step, of a run that went well too', false)
    .parse(args, { from: 'user' })
    .opts<GivenOptions>()
  const [from, to] = given.seed ?? seeds ?? DEFAULT_SEEDS
  return { ...given, from, to, processes: processes ?? null, workers: Math.min(given.workers, to - from + 1) }
}

type Seeds = readonly [from: number, to: number]
const DEFAULT_SEEDS: Seeds = [1, 1]

interface GivenOptions extends Omit<Options, 'from' | 'to' | 'processes'> {
  readonly seed?: Seeds
  readonly seeds?: Seeds
  readonly processes?: number
}

type Failure = Extract<WorkerResult, { kind: 'failed' }>

async function runAll(
  options: Options,
  figures: SimulationFigures,
  progress: Progress,
): Promise<Failure | null> {
  const databases = await openDatabases(options.database, options.workers)
  let next = options.from
  let failure: Failure | null = null
  try {
    const workers = databases.urls.map((url) => {
      const { days, processes, race } = options
      const settings: WorkerSettings = { url, days, processes, race }
      return runWorker(settings, {
        nextSeed: () => (failure || next > options.to ? null : next++),
        answered: (answer) => {
          if (answer.kind === 'failed') failure ??= answer
          else figures.add(answer.figures)
          if (answer.kind === 'passed' && options.trace)
            console.log(`seed ${answer.seed}\n${answer.journal.join('\n')}`)
          progress.at(figures.of('seeds'), options.to - options.from + 1)
        },
      })
    })
    await Promise.all(workers)
  } finally {
    await databases.remove()
  }
  return failure
}

interface Dispatch {
  nextSeed(): number | null
  answered(answer: WorkerResult): void
}

function runWorker(settings: WorkerSettings, dispatch: Dispatch): Promise<void> {
  const [, script = '', command = ''] = process.argv
  const child = fork(script, [command], {
    env: { ...process.env, SIMULATION_WORKER: JSON.stringify(settings) },
  })
  return new Promise((resolve, reject) => {
    const give = () => {
      const seed = dispatch.nextSeed()
      if (seed === null) child.disconnect()
      else child.send(seed)
    }
    child.on('message', (message) => {
      // Sent by worker.ts, which runs in the same program.
      const answer = message as WorkerResult | 'ready'
      if (answer !== 'ready') dispatch.answered(answer)
      give()
    })
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))))
  })
}

/** The last steps usually show the cause; `--trace` prints all of them. */
const LINES_SHOWN = 80

function describeFailure(failure: Failure, options: Options): string {
  const processes = options.processes === null ? '' : ` --processes ${options.processes}`
  const same = `--days ${options.days} --database ${options.database}${processes}`
  const race = options.race ? ' --race (the locks decide: it may need several tries)' : ''
  const lines = options.trace ? failure.journal : failure.journal.slice(-LINES_SHOWN)
  return `
${lines.join('\n')}

BROKEN: ${failure.rule}
${failure.evidence}
seed ${failure.seed}, step for step again with:
npm run nightly -- simulate --seed ${failure.seed} ${same} --trace${race}`
}
