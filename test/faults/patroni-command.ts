// `npm run nightly -- fault:patroni [--sales 120] [--only "primary killed"]`
import { spawnSync } from 'node:child_process'
import { Command, Option } from 'commander'
import { startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { numberWithin } from '../../packages/ishtirak/src/acts/cli-values.js'
import { buildOnce } from '../support/process.js'
import { CHARGILY_KEY } from '../support/world.js'
import type { Audit } from './audit.js'
import { ISOLATED } from './machines.js'
import { requirePatroni } from './patroni.js'
import {
  CLUSTER_OUTAGES,
  type ClusterFigures,
  type ClusterOutage,
  LOADS,
  runClusterOutages,
} from './patroni-outages.js'

const SALES_MAX = 1_000
/** Set where this process has the computer of its own in which the machines are connected. */
const IS_ISOLATED = 'FAULTS_ARE_ISOLATED'

export async function run(args: readonly string[]): Promise<boolean> {
  const values = new Command('npm run nightly -- fault:patroni')
    .description('Harms a cluster of Patroni in several ways while it is used, and counts what was lost')
    .option('--sales <number>', 'sales of each outage', numberWithin({ minimum: 1, maximum: SALES_MAX }), 120)
    .addOption(
      new Option('--only <name...>', 'these outages')
        .choices(Object.keys(CLUSTER_OUTAGES))
        .default(Object.keys(CLUSTER_OUTAGES)),
    )
    .parse(args, { from: 'user' })
    .opts<{ sales: number; only: string[] }>()
  const { sales, only } = values
  const outages = Object.entries(CLUSTER_OUTAGES).filter(([name]) => only.includes(name))
  requirePatroni()
  if (process.env[IS_ISOLATED] === undefined) return runIsolated()
  return await runHere(Object.fromEntries(outages), sales)
}

/** The same command again, which then can connect machines and end with all of them. */
function runIsolated(): boolean {
  buildOnce()
  const [program = '', ...args] = [...ISOLATED, ...process.argv]
  const { status, error } = spawnSync(program, args, {
    // Its /run is in memory and ends with it.
    env: { ...process.env, [IS_ISOLATED]: 'yes', TMPDIR: '/run' },
    stdio: 'inherit',
  })
  if (error) throw error
  return status === 0
}

async function runHere(outages: typeof CLUSTER_OUTAGES, salesPerOutage: number): Promise<boolean> {
  // The first process of a computer is not ended by these signals unless it says so.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1))
  const emulator = await startEmulator({ secretKeys: [CHARGILY_KEY] })
  try {
    const onOutage = (outage: ClusterOutage) => say(describe(outage))
    const figures = await runClusterOutages({ emulator, outages, salesPerOutage, onOutage })
    say(summarize(figures))
    return isSound(figures)
  } finally {
    await emulator.close()
  }
}

function isSound({ servers, acknowledged, faults }: ClusterFigures): boolean {
  const holds = ({ booked, lost, doubled, faults }: Audit, least: number) =>
    booked >= least && lost === 0 && doubled === 0 && faults.length === 0
  return (
    faults.length === 0 &&
    servers.every((server) => LOADS.every((load) => holds(server[load], acknowledged[load])))
  )
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`

function describe({ name, refused, gapMs }: ClusterOutage): string {
  return `${name.padEnd(30)} longest gap ${seconds(gapMs)}, refused with 503: ${refused}`
}

const counts = ({ booked, lost, doubled }: Audit) => `${booked} stored, ${lost} lost, ${doubled} twice`

function summarize({ servers, acknowledged, slowestMs, faults }: ClusterFigures): string {
  return [
    `slowest answer                   ${seconds(slowestMs)}`,
    `acknowledged                     ${LOADS.map((load) => `${acknowledged[load]} ${load}`).join(', ')}`,
    ...servers.flatMap((server) => [
      `${server.name}  ${LOADS.map((load) => `${load} ${counts(server[load])}`).join('; ')}`,
      ...LOADS.flatMap((load) => server[load].faults.map((fault) => `FAULT ${server.name} ${load} ${fault}`)),
    ]),
    ...faults.map((fault) => `FAULT ${fault}`),
  ].join('\n')
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
