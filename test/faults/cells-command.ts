// `npm run fault:cells -- [--sales 5000] [--services 2] [--only "router killed"]`
import { Command, Option } from 'commander'
import { startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { numberWithin } from '../../packages/ishtirak/src/acts/cli-values.js'
import { buildOnce } from '../support/process.js'
import { requireTool } from '../support/system-tools.js'
import { CHARGILY_KEY } from '../support/world.js'
import type { Audit } from './audit.js'
import { CELL_OUTAGES, type CellFigures, type CellOutage, runCellOutages } from './cell-outages.js'

const SALES_MAX = 100_000

export async function run(args: readonly string[]): Promise<boolean> {
  const names = Object.keys(CELL_OUTAGES)
  const values = new Command('npm run fault:cells --')
    .description('Harms three cells and their router while users buy, and counts what was lost')
    .option('--sales <number>', 'of all outages', numberWithin({ minimum: 1, maximum: SALES_MAX }), 5_000)
    .option('--services <number>', 'processes of each cell', numberWithin({ minimum: 1, maximum: 8 }), 2)
    .addOption(new Option('--only <name...>', 'these outages').choices(names).default(names))
    .parse(args, { from: 'user' })
    .opts<{ sales: number; services: number; only: string[] }>()
  const { sales, services, only } = values
  requireTool('haproxy')
  buildOnce()
  const salesPerOutage = Math.ceil(sales / only.length)
  const emulator = await startEmulator({ secretKeys: [CHARGILY_KEY] })
  try {
    const onOutage = (outage: CellOutage) => say(describe(outage))
    const figures = await runCellOutages({ emulator, only, salesPerOutage, services, onOutage })
    say(summarize(figures))
    return isSound(figures)
  } finally {
    await emulator.close()
  }
}

function isSound({ payments, operations, faults }: CellFigures): boolean {
  const holds = ({ lost, doubled, faults }: Audit) => lost === 0 && doubled === 0 && faults.length === 0
  return faults.length === 0 && holds(payments) && holds(operations)
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`

function describe({ name, failed, longestMs, lastedMs }: CellOutage): string {
  const lasted = `lasted ${seconds(lastedMs)}, longest wait ${seconds(longestMs)}`
  return `${name.padEnd(42)} ${lasted}, failed requests of its users: ${failed}`
}

function summarize({ acknowledged, payments, operations, faults }: CellFigures): string {
  const audit = ({ booked, lost, doubled }: Audit) => `${booked} stored, ${lost} lost, ${doubled} twice`
  const { requests, sales, operations: counted } = acknowledged
  return [
    `acknowledged   ${requests} requests, ${sales} payments, ${counted} operations`,
    `payments       ${audit(payments)}`,
    `operations     ${audit(operations)}`,
    ...[...payments.faults, ...operations.faults, ...faults].map((fault) => `FAULT ${fault}`),
  ].join('\n')
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
