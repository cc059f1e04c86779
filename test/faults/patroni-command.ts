// `npm run nightly -- fault:patroni [--sales 120] [--only "primary killed"]`
import { spawnSync } from 'node:child_process'
import { Option } from 'commander'
import { buildOnce } from '../support/process.js'
import type { Audit } from './audit.js'
import { faultCommand, print, seconds, withEmulator } from './command.js'
import { ISOLATED } from './machines.js'
import { requirePatroni } from './patroni.js'
import {
  CLUSTER_OUTAGES,
  type ClusterFigures,
  type ClusterOutage,
  LOADS,
  runClusterOutages,
} from './patroni-outages.js'

/** Set where this process has the computer of its own in which the machines are connected. */
const IS_ISOLATED = 'FAULTS_ARE_ISOLATED'

export async function run(args: readonly string[]): Promise<boolean> {
  const names = Object.keys(CLUSTER_OUTAGES)
  const { sales, only } = faultCommand(
    'patroni',
    'Harms a cluster of Patroni in several ways while it is used, and counts what was lost',
    { sales: ['sales of each outage', 120, 1_000] },
  )
    .addOption(new Option('--only <name...>', 'these outages').choices(names).default(names))
    .parse(args, { from: 'user' })
    .opts<{ sales: number; only: string[] }>()
  requirePatroni()
  if (process.env[IS_ISOLATED] === undefined) return runIsolated()
  // The first process of a computer is not ended by these signals unless it says so.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1))
  const outages = Object.fromEntries(Object.entries(CLUSTER_OUTAGES).filter(([name]) => only.includes(name)))
  const figures = await withEmulator((emulator) =>
    runClusterOutages({ emulator, outages, salesPerOutage: sales, onOutage }),
  )
  report(figures)
  return isSound(figures)
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

function isSound({ servers, acknowledged, faults }: ClusterFigures): boolean {
  const holds = ({ booked, lost, doubled, faults }: Audit, least: number) =>
    booked >= least && lost === 0 && doubled === 0 && faults.length === 0
  return (
    faults.length === 0 &&
    servers.every((server) => LOADS.every((load) => holds(server[load], acknowledged[load])))
  )
}

const onOutage = ({ name, refused, gapMs }: ClusterOutage) =>
  print({ outage: name, 'longest gap': seconds(gapMs), 'refused with 503': refused })

function report({ servers, acknowledged, slowestMs, faults }: ClusterFigures): void {
  const answered = LOADS.map((load) => [`acknowledged ${load}`, acknowledged[load]])
  print({ 'slowest answer': seconds(slowestMs), ...Object.fromEntries(answered) }, faults)
  for (const server of servers)
    for (const load of LOADS) {
      const { booked, lost, doubled, faults } = server[load]
      print({ [`${server.name} ${load}`]: `${booked} stored, ${lost} lost, ${doubled} twice` }, faults)
    }
}
