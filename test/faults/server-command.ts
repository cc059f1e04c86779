// `npm run nightly -- fault:server [--sales 120]`
import { faultCommand, print, seconds, withEmulator } from './command.js'
import { OUTAGES, type OutageFigures, runServerOutages } from './server-outages.js'

export async function run(args: readonly string[]): Promise<boolean> {
  const { sales } = faultCommand(
    'server',
    'Harms the database server in several ways while it is used, and counts what was lost',
    { sales: ['sales of each outage', 120, 1_000] },
  )
    .parse(args, { from: 'user' })
    .opts<{ sales: number }>()
  return withEmulator(async (emulator) => {
    const asked = { emulator, outages: OUTAGES, salesPerOutage: sales, onOutage: report }
    const { outages, answered, faults } = await runServerOutages(asked)
    print({ 'events answered 200': answered, booked: outages.at(-1)?.audit.booked }, faults)
    const isSound = ({ audit: { lost, doubled, faults } }: OutageFigures) =>
      lost === 0 && doubled === 0 && faults.length === 0
    return faults.length === 0 && outages.every(isSound)
  })
}

function report({ name, refused, outageMs, recoveryMs, slowestMs, audit }: OutageFigures): void {
  const { faults, ...counts } = audit
  const times = {
    'first harm to booked': seconds(outageMs),
    'database back to booked': seconds(recoveryMs),
    'slowest answer': seconds(slowestMs),
  }
  print({ outage: name, 'refused with 503': refused, ...times, ...counts }, faults)
}
