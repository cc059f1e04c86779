// The command `npm run simulate`: runs one seed or a range on all cores and prints the figures. A broken rule ends the
// run with the seed, the last steps and the command that repeats it.
import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { openDatabases } from './databases.js'
import { SimulationFigures } from './figures.js'
import { isWorker, type WorkerResult, type WorkerSettings, work } from './worker.js'

const USAGE = `npm run simulate -- [--seed N | --seeds A-B] [--days D] [--database pglite|postgres]
                    [--processes 1|2] [--workers N] [--race] [--trace]
  --processes  processes of the service on one database; default: one or two, by the seed
  --race       several steps at the same time, so that they meet in the server's locks: no exact replay then
  --trace      print every step, of a run that went well too`

async function command(): Promise<number> {
  const options = readOptions()
  if (options === null) {
    console.error(USAGE)
    return 2
  }
  const startedAt = performance.now()
  const seeds = options.to - options.from + 1
  console.log(`${seeds} seeds of ${options.days} days on ${options.database}, ${options.workers} workers`)
  const figures = new SimulationFigures()
  const failed = await runAll(options, figures)
  const seconds = (performance.now() - startedAt) / 1000
  console.log(`\n${figures.describe()}`)
  console.log(`\n${figures.of('seeds')} of ${seeds} seeds in ${seconds.toFixed(1)} s`)
  if (failed) console.log(describeFailure(failed, options))
  else console.log('every rule held')
  return failed ? 1 : 0
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

function readOptions(): Options | null {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      seeds: { type: 'string' },
      days: { type: 'string', default: '120' },
      database: { type: 'string', default: 'pglite' },
      processes: { type: 'string' },
      workers: { type: 'string', default: String(availableParallelism()) },
      race: { type: 'boolean', default: false },
      trace: { type: 'boolean', default: false },
    },
  })
  const [, from, to] = /^(\d+)(?:-(\d+))?$/.exec(values.seeds ?? values.seed ?? '1') ?? []
  const { database } = values
  const first = Number(from)
  const last = Number(to ?? from)
  const [days, processes, workers] = [values.days, values.processes ?? '1', values.workers].map(Number)
  const isKnown = database === 'pglite' || database === 'postgres'
  if (!isKnown || !(last >= first) || !days || !workers || (processes !== 1 && processes !== 2)) return null
  return {
    from: first,
    to: last,
    days,
    database,
    processes: values.processes === undefined ? null : processes,
    workers: Math.min(workers, last - first + 1),
    race: values.race,
    trace: values.trace,
  }
}

type Failure = Extract<WorkerResult, { kind: 'failed' }>

/** Hands out the seeds one by one; gives the first failure, or null. */
async function runAll(options: Options, figures: SimulationFigures): Promise<Failure | null> {
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
          else report(answer, options, figures)
        },
      })
    })
    await Promise.all(workers)
  } finally {
    await databases.remove()
  }
  return failure
}

function report(
  answer: Extract<WorkerResult, { kind: 'passed' }>,
  { trace }: Options,
  figures: SimulationFigures,
): void {
  figures.add(answer.figures)
  if (trace) console.log(`seed ${answer.seed}\n${answer.journal.join('\n')}`)
  if (figures.of('seeds') % 100 === 0) console.log(`${figures.of('seeds')} seeds passed`)
}

interface Dispatch {
  nextSeed(): number | null
  answered(answer: WorkerResult): void
}

function runWorker(settings: WorkerSettings, dispatch: Dispatch): Promise<void> {
  const script = process.argv[1] ?? ''
  const child = fork(script, [], { env: { ...process.env, SIMULATION_WORKER: JSON.stringify(settings) } })
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
  const race = options.race ? ' --race (the locks decide: it may need several tries)' : ''
  const lines = options.trace ? failure.journal : failure.journal.slice(-LINES_SHOWN)
  return `
${lines.join('\n')}

BROKEN: ${failure.rule}
${failure.evidence}
seed ${failure.seed}, step for step again with:
npm run simulate -- --seed ${failure.seed} --days ${options.days} --database ${options.database}${processes} --trace${race}`
}

// Last, because module constants are undefined before their line.
if (isWorker()) await work()
else process.exitCode = await command()
