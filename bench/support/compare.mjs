// Measures two services in turns, so that both have the same neighbours on the machine. What counts is the
// ratio of each round: its median and its spread.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { numberWithin } from '../../packages/ishtirak/dist/main/internal.js'
import { cpuSeconds, residentMb, startProcess, stopAll } from './children.mjs'
import { startPostgres } from './postgres.mjs'

export const artifacts = fileURLToPath(new URL('../../artifacts/', import.meta.url))
const fileOf = (name) => fileURLToPath(new URL(`./${name}`, import.meta.url))

/** `options` by name: `[description, preset]`. A preset of a number is read as one. */
export function readOptions(name, description, options) {
  const command = new Command(`npm run bench -- ${name}`).description(description)
  for (const [option, [says, preset, minimum = 1]] of Object.entries(options)) {
    if (typeof preset === 'number')
      command.option(`--${option} <number>`, says, numberWithin({ minimum }), preset)
    else command.option(`--${option} <text>`, says, preset)
  }
  return command.parse().opts()
}

/** Runs `work` with a PostgreSQL server, a process that makes the load, and a provider. */
export async function withServers(latencyMs, work) {
  const given = process.env.BENCH_DATABASE_URL
  const server = given ? { url: given, stop: async () => {} } : await startPostgres()
  try {
    const env = { BENCH_LATENCY_MS: String(latencyMs) }
    const provider = await startProcess([fileOf('provider.mjs')], { env })
    const driver = await startProcess([fileOf('driver.mjs')])
    await work({ server, provider, driver })
  } finally {
    await stopAll()
    await server.stop()
  }
}

/**
 * Compares `ours` with `other` on each of `paths`: { name, against, target, stock, ours, other }. A side is
 * { url, pid, kind, options }. Prints the table and the memory, and saves both.
 */
export async function compareAll(part, driver, { sides, paths, ...load }) {
  const atRest = memoryOf(sides)
  const results = []
  for (const { name, against, target, ...both } of paths) {
    const rounds = await compare(driver, { ...both, ...load })
    results.push({ name, against, target, summary: summarize(rounds), rounds })
    console.error(rowOf(results.at(-1)).join('  '), ` load ${loadNow()}`)
  }
  const memory = { atRest, underLoad: memoryOf(sides) }
  const machine = `${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, ${commit()}`
  console.log(`${machine}, load ${loadNow()}`)
  printTable(HEAD, results.map(rowOf))
  console.log(`resident MB, ours / other: at rest ${memory.atRest}, under load ${memory.underLoad}`)
  mkdirSync(artifacts, { recursive: true })
  const at = new Date().toISOString()
  const file = path.join(artifacts, `${part}-${at.replace(/[:.]/g, '-')}.json`)
  writeFileSync(file, `${JSON.stringify({ machine, at, results, memory }, null, 2)}\n`)
  console.log(`saved in ${file}`)
}

/** The part of a stock that is used before the clock starts. */
const WARMING = 0.2

/**
 * `stock`: how many requests each side has, if a request can be sent only once. A round drives other, ours,
 * ours, other: the second service still pays for the writes of the first, and without the mirrored order one
 * build against itself measured 0.87.
 */
async function compare(driver, { ours, other, connections, rounds, seconds, stock }) {
  const sides = { ours, other }
  const used = { ours: 1, other: 1 }
  const drive = (name, seconds, share) =>
    driveSide(driver, sides[name], { name, used, connections, seconds, share })
  // Queries are planned and code is compiled first: an upgrade needs a thousand requests until it is fast.
  for (const name of ['other', 'ours'])
    await drive(name, Math.min(2, seconds), stock && Math.floor(stock * WARMING))
  const share = stock && Math.floor((stock * (1 - WARMING)) / rounds / 2)
  const results = []
  for (let round = 0; round < rounds; round++) {
    const turn = round % 2 === 0 ? ['other', 'ours'] : ['ours', 'other']
    const taken = { ours: [], other: [] }
    const load = loadNow()
    for (const name of [...turn, ...turn.toReversed()]) taken[name].push(await drive(name, seconds, share))
    results.push({ load, ours: meanOf(taken.ours), other: meanOf(taken.other) })
  }
  return results
}

async function driveSide(driver, side, { name, used, connections, seconds, share }) {
  const { url, pid, kind, options } = side
  const from = used[name]
  if (share !== undefined) used[name] += share
  const cpuBefore = cpuSeconds(pid)
  const result = await driver.ask({
    url,
    kind,
    connections,
    ...(share === undefined ? { seconds } : { amount: Math.floor(share / connections) * connections }),
    options: { ...options, from },
  })
  return { ...result, cpuMicros: ((cpuSeconds(pid) - cpuBefore) * 1e6) / result.answered }
}

function meanOf(drives) {
  const mean = (name) => drives.reduce((sum, drive) => sum + drive[name], 0) / drives.length
  return Object.fromEntries(Object.keys(drives[0]).map((name) => [name, mean(name)]))
}

function summarize(rounds) {
  const ratios = rounds.map(({ ours, other }) => ours.perSecond / other.perSecond)
  const round2 = (value) => Number(value.toFixed(2))
  const middle = (side, name) => median(rounds.map((round) => round[side][name]))
  const side = (name) => ({
    perSecond: Math.round(middle(name, 'perSecond')),
    p99: middle(name, 'p99'),
    cpuMicros: Math.round(middle(name, 'cpuMicros')),
    driverBusy: round2(middle(name, 'driverBusy')),
  })
  return {
    ratio: round2(median(ratios)),
    lowest: round2(Math.min(...ratios)),
    highest: round2(Math.max(...ratios)),
    ours: side('ours'),
    other: side('other'),
  }
}

function median(values) {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

const HEAD = [
  ...['path', 'against', 'ratio (lowest–highest)', 'aim', 'a second, ours / other', 'processor µs each'],
  ...['p99 ms', 'driver busy'],
]

function rowOf({ name, against, target, summary: { ratio, lowest, highest, ours, other } }) {
  return [
    ...[name, against, `${ratio} (${lowest}–${highest})`],
    ratio >= target ? `≥ ${target}` : `**below ${target}**`,
    ...['perSecond', 'cpuMicros', 'p99', 'driverBusy'].map((figure) => `${ours[figure]} / ${other[figure]}`),
  ]
}

function printTable(head, rows) {
  for (const line of [head, head.map(() => '---'), ...rows]) console.log(`| ${line.join(' | ')} |`)
}

const memoryOf = ({ ours, other }) => [ours, other].map(({ pid }) => Math.round(residentMb(pid))).join(' / ')

/** Runnable processes. If there are more than processors, other programs distort the figures. */
const loadNow = () => Number(loadavg()[0]?.toFixed(1))

function commit() {
  const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim()
  const isChanged = git('status', '--porcelain', 'packages') !== ''
  return `${git('rev-parse', '--short', 'HEAD')}${isChanged ? ' and changes' : ''}`
}
