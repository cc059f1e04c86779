// `npm run nightly -- fault:server [--sales 120]`
import { Command } from 'commander'
import { startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { numberWithin } from '../../packages/ishtirak/src/acts/cli-values.js'
import { buildOnce } from '../support/process.js'
import { CHARGILY_KEY } from '../support/world.js'
import { OUTAGES, type OutageFigures, runServerOutages } from './server-outages.js'

const SALES_MAX = 1_000

export async function run(args: readonly string[]): Promise<boolean> {
  const values = new Command('npm run nightly -- fault:server')
    .description('Harms the database server in several ways while it is used, and counts what was lost')
    .option('--sales <number>', 'sales of each outage', numberWithin({ minimum: 1, maximum: SALES_MAX }), 120)
    .parse(args, { from: 'user' })
    .opts<{ sales: number }>()
  const salesPerOutage = values.sales
  buildOnce()
  const emulator = await startEmulator({ secretKeys: [CHARGILY_KEY] })
  try {
    const onOutage = (figures: OutageFigures) => say(describe(figures))
    const { outages, answered, faults } = await runServerOutages({
      emulator,
      outages: OUTAGES,
      salesPerOutage,
      onOutage,
    })
    const last = outages.at(-1)?.audit
    say(`events answered 200: ${answered}, booked: ${last?.booked}, strange answers: ${faults.length}`)
    for (const fault of faults) say(`FAULT ${fault}`)
    const isSound = ({ lost, doubled, faults }: OutageFigures['audit']) =>
      lost === 0 && doubled === 0 && faults.length === 0
    return faults.length === 0 && outages.every((outage) => isSound(outage.audit))
  } finally {
    await emulator.close()
  }
}

function describe({ name, refused, outageMs, recoveryMs, slowestMs, audit }: OutageFigures): string {
  const ms = (value: number) => `${Math.round(value)} ms`
  return [
    name,
    `  refused with 503          ${refused}`,
    `  first harm to booked      ${ms(outageMs)}`,
    `  database back to booked   ${ms(recoveryMs)}`,
    `  slowest answer            ${ms(slowestMs)}`,
    `  booked / lost / doubled   ${audit.booked} / ${audit.lost} / ${audit.doubled}`,
    ...audit.faults.map((fault) => `  FAULT ${fault}`),
  ].join('\n')
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
