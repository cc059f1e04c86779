// `npm run nightly -- fault:kill --cycles 200 --database embedded|server [--seed N] [--sales 40]`
import { Command, Option } from 'commander'
import { startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { numberWithin } from '../../packages/ishtirak/src/acts/cli-values.js'
import { createDatabase, withDatabaseName } from '../support/admin.js'
import { startServer } from '../support/postgres-server.js'
import { buildOnce } from '../support/process.js'
import { CHARGILY_KEY } from '../support/world.js'
import { embeddedInstallation, type Installation, serverInstallation } from './installations.js'
import { type KillFigures, median, runKillCycles } from './kill-cycles.js'

/** Bounds the run to a few hours. */
const CYCLES_MAX = 1_000
const SALES_MAX = 200

export async function run(args: readonly string[]): Promise<boolean> {
  const values = new Command('npm run nightly -- fault:kill')
    .description('Kills the service again and again while it books, and counts what was lost')
    .option('--cycles <number>', 'how often', numberWithin({ minimum: 1, maximum: CYCLES_MAX }), 200)
    .addOption(new Option('--database <kind>').choices(['embedded', 'server']).default('embedded'))
    .option('--seed <number>', 'when it is killed', numberWithin({}), 1)
    .option('--sales <number>', 'sales of each cycle', numberWithin({ minimum: 1, maximum: SALES_MAX }), 40)
    .parse(args, { from: 'user' })
    .opts<{ cycles: number; database: string; seed: number; sales: number }>()
  const { cycles, seed } = values
  const salesPerCycle = values.sales
  buildOnce()
  const emulator = await startEmulator({ secretKeys: [CHARGILY_KEY] })
  const { installation, remove } = await (values.database === 'server'
    ? onServer(emulator)
    : embedded(emulator))
  try {
    say(`kill -9, ${values.database} database, seed ${seed}, ${cycles} cycles of ${salesPerCycle} sales`)
    const onCycle = (figures: KillFigures) => {
      if (figures.cycles % 20 === 0) say(`  ${line(figures)}`)
    }
    const figures = await runKillCycles({ cycles, seed, salesPerCycle, installation, emulator, onCycle })
    say(summary(figures))
    return figures.lost === 0 && figures.doubled === 0 && figures.faults.length === 0
  } finally {
    await remove()
    await emulator.close()
  }
}

type Emulator = Parameters<typeof embeddedInstallation>[0]

async function embedded(
  emulator: Emulator,
): Promise<{ installation: Installation; remove: () => Promise<void> }> {
  const installation = await embeddedInstallation(emulator)
  return { installation, remove: () => installation.remove() }
}

async function onServer(
  emulator: Emulator,
): Promise<{ installation: Installation; remove: () => Promise<void> }> {
  const server = await startServer()
  await createDatabase(server.url, 'faults')
  const installation = await serverInstallation(emulator, withDatabaseName(server.url, 'faults'))
  return {
    installation,
    remove: async () => {
      await installation.remove()
      await server.remove()
    },
  }
}

function line({ cycles, answered, booked, restartMs, faults }: KillFigures): string {
  const after = `restart ${Math.round(median(restartMs))} ms, ${faults.length} faults`
  return `${cycles} cycles, ${answered} answered, ${booked} booked, ${after}`
}

function summary(figures: KillFigures): string {
  const [first = 0, ...restarts] = figures.restartMs
  const ms = (value: number) => `${Math.round(value)} ms`
  return [
    `cycles                      ${figures.cycles}`,
    `killed while starting       ${figures.killedWhileStarting}`,
    `events answered 200         ${figures.answered}`,
    `events booked               ${figures.booked}`,
    `booked, answer cut off      ${figures.bookedUnanswered}`,
    `lost                        ${figures.lost}`,
    `doubled                     ${figures.doubled}`,
    `first start                 ${ms(first)}`,
    `restart median / longest    ${ms(median(restarts))} / ${ms(Math.max(0, ...restarts))}`,
    ...figures.faults.map((fault) => `FAULT ${fault}`),
  ].join('\n')
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
