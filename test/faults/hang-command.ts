// `npm run nightly -- fault:hang [--seconds 60] [--calls 200]`
import { Command } from 'commander'
import { startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { numberWithin } from '../../packages/ishtirak/src/acts/cli-values.js'
import { buildOnce } from '../support/process.js'
import { CHARGILY_KEY } from '../support/world.js'
import { type HangFigures, runHang } from './hang.js'

const SECONDS_MAX = 300
const CALLS_MAX = 1_000
const ANSWERED_WITHIN_MS = 6_000

export async function run(args: readonly string[]): Promise<boolean> {
  const values = new Command('npm run nightly -- fault:hang')
    .description('Stops the database server while it is called, and counts what was lost')
    .option(
      '--seconds <number>',
      'how long it stands still',
      numberWithin({ minimum: 1, maximum: SECONDS_MAX }),
      60,
    )
    .option('--calls <number>', 'calls a second', numberWithin({ minimum: 1, maximum: CALLS_MAX }), 200)
    .parse(args, { from: 'user' })
    .opts<{ seconds: number; calls: number }>()
  const hangMs = values.seconds * 1_000
  const callsPerSecond = values.calls
  buildOnce()
  const emulator = await startEmulator({ secretKeys: [CHARGILY_KEY] })
  try {
    const figures = await runHang({ emulator, hangMs, callsPerSecond })
    process.stdout.write(`${describe(figures)}\n`)
    return isSound(figures)
  } finally {
    await emulator.close()
  }
}

export function isSound(figures: HangFigures): boolean {
  const { slowestMs, aliveWhileHung, executedLate, lost, faults } = figures
  return (
    slowestMs <= ANSWERED_WITHIN_MS &&
    aliveWhileHung > 0 &&
    executedLate === 0 &&
    lost === 0 &&
    faults.length === 0
  )
}

function describe(figures: HangFigures): string {
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`
  return [
    ...figures.kinds.map(
      ({ kind, calls, refused, firstRefusalMs, slowestMs }) =>
        `${kind.padEnd(8)} calls ${calls}, 503 ${refused}, the first after ${seconds(firstRefusalMs)}, ` +
        `slowest answer ${seconds(slowestMs)}`,
    ),
    `slowest answer of all                      ${seconds(figures.slowestMs)}`,
    `server awake to first consume              ${seconds(figures.recoveryMs)}`,
    `while hung: healthz 200 / readyz 200       ${figures.aliveWhileHung} / ${figures.readyWhileHung}`,
    `consumes executed later than 6 s           ${figures.executedLate}`,
    `consumes answered 503, executed in time    ${figures.executedThoughRefused}`,
    `consumes answered 200, not in the database    ${figures.lost}`,
    ...new Set(figures.faults.map((fault) => `FAULT ${fault}`)),
  ].join('\n')
}
