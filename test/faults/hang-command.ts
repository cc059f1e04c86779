// `npm run nightly -- fault:hang [--seconds 60] [--calls 200]`
import { faultCommand, print, seconds, withEmulator } from './command.js'
import { MOST_AT_WORK, runHang } from './hang.js'

const ANSWERED_WITHIN_MS = 6_000

export async function run(args: readonly string[]): Promise<boolean> {
  const asked = faultCommand(
    'hang',
    'Stops the database server while it is called, and counts what was lost',
    { seconds: ['how long it stands still', 60, 300], calls: ['calls a second', 200, 1_000] },
  )
    .parse(args, { from: 'user' })
    .opts<{ seconds: number; calls: number }>()
  const { kinds, faults, ...figures } = await withEmulator((emulator) =>
    runHang({ emulator, hangMs: asked.seconds * 1_000, callsPerSecond: asked.calls }),
  )
  for (const { kind, calls, refused, firstRefusalMs, slowestMs } of kinds) {
    const times = `the first after ${seconds(firstRefusalMs)}, slowest answer ${seconds(slowestMs)}`
    print({ [kind]: `calls ${calls}, 503 ${refused}, ${times}` })
  }
  print({ ...figures }, faults)
  const { slowestMs, aliveWhileHung, executedLate, executedOnWaking, lost } = figures
  const isAnswered = slowestMs <= ANSWERED_WITHIN_MS
  const isPunctual = isAnswered && executedLate === 0 && executedOnWaking <= MOST_AT_WORK
  return isPunctual && aliveWhileHung > 0 && lost === 0 && faults.length === 0
}
