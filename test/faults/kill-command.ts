// `npm run nightly -- fault:kill --cycles 200 --database embedded|server [--seed N] [--sales 40]`
import { Option } from 'commander'
import { createDatabase, withDatabaseName } from '../support/admin.js'
import { startServer } from '../support/postgres-server.js'
import { faultCommand, print, seconds, withEmulator } from './command.js'
import { install } from './installations.js'
import { type KillFigures, median, runKillCycles } from './kill-cycles.js'

export async function run(args: readonly string[]): Promise<boolean> {
  const { cycles, database, seed, sales } = faultCommand(
    'kill',
    'Kills the service again and again while it books, and counts what was lost',
    {
      cycles: ['how often', 200, 1_000],
      seed: ['when it is killed', 1, 2 ** 31],
      sales: ['sales of each cycle', 40, 200],
    },
  )
    .addOption(new Option('--database <kind>').choices(['embedded', 'server']).default('embedded'))
    .parse(args, { from: 'user' })
    .opts<{ cycles: number; database: string; seed: number; sales: number }>()
  return withEmulator(async (emulator) => {
    const server = database === 'server' ? await startServer() : null
    if (server) await createDatabase(server.url, 'faults')
    const url = server && withDatabaseName(server.url, 'faults')
    const installation = await install(emulator, url === null ? {} : { url })
    const onCycle = (figures: KillFigures) => {
      if (figures.cycles % 20 === 0) report(figures)
    }
    try {
      const figures = await runKillCycles({
        ...{ cycles, seed, salesPerCycle: sales, installation, emulator, onCycle },
      })
      report(figures)
      return figures.lost === 0 && figures.doubled === 0 && figures.faults.length === 0
    } finally {
      await installation.remove()
      await server?.remove()
    }
  })
}

function report({ restartMs: [first = 0, ...restarts], faults, ...counts }: KillFigures): void {
  const longest = Math.max(0, ...restarts)
  const times = { 'first start': first, 'restart, median': median(restarts), 'restart, longest': longest }
  const shown = Object.entries(times).map(([name, ms]) => [name, seconds(ms)])
  print({ ...counts, ...Object.fromEntries(shown) }, faults)
}
