// npm run nightly: what takes too long for every change, in parts of at most an hour on two cores. It goes on
// where it stopped: a part that passed at this commit is not run again. `npm run nightly -- PART` runs one
// part, and with options behind it (`npm run nightly -- simulate --seed 7`) only that, without a record.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import path from 'node:path'

const root = path.dirname(import.meta.dirname)
const RECORD = path.join(root, 'docs/internals/nightly.md')

const script = (name, ...options) => [`scripts/${name}.mjs`, ...options]
const command = (file, ...options) => script('run', `test/${file}.ts`, ...options)
const tests = (...files) => ['node_modules/vitest/vitest.mjs', 'run', '--project', 'nightly', ...files]

/** Where times are bounds. */
const ONE_AT_A_TIME = '--no-file-parallelism'

/** The commands of each part. Options that are given go to the first one. */
const PARTS = {
  mutate: [script('mutate')],
  'broken-rules': [tests('test/simulation')],
  simulate: [command('simulation/command', '--seeds', '1-2000')],
  fuzz: [
    command('fuzz/command', '--calls', '100000', '--seed', '1'),
    command('fuzz/command', '--uploads', '20000'),
  ],
  'fault:kill': [
    command('faults/kill-command', '--database', 'embedded', '--cycles', '60'),
    command('faults/kill-command', '--database', 'server', '--cycles', '120'),
  ],
  'fault:flush': [command('faults/flush-command')],
  'fault:server': [command('faults/server-command')],
  'fault:hang': [command('faults/hang-command')],
  'fault:pgbouncer': [command('faults/pgbouncer-command'), tests('test/faults/pgbouncer')],
  'fault:patroni': [command('faults/patroni-command')],
  costs: [[...tests('test/costs', 'test/plans'), ONE_AT_A_TIME]],
  memory: [tests('process/memory', 'process/many-receipts')],
  processes: [tests('killed', 'process/rolling', 'process/traces', 'mounted-folder', 'embedded/')],
  matrix: [script('build'), tests('test/packages'), script('postgres-versions')],
  deployments: [tests('test/deploy')],
  looks: [tests('test/browser', 'documents/invoice')],
  examples: [tests('test/examples')],
  slow: [tests('test/expressions', 'test/replay', 'lost-traces', 'slow-issuer')],
}

const [part, ...options] = process.argv.slice(2)
if (part === '--help' || (part !== undefined && !(part in PARTS))) {
  const names = Object.keys(PARTS).join(', ')
  process.stdout.write(`Usage: npm run nightly -- [PART [options]]\n\nParts: ${names}\n`)
  process.exit(part === '--help' ? 0 : 2)
}
if (options.length > 0) process.exit(run([...PARTS[part][0], ...options]))

run(script('build', '--if-stale'))
const commit = commitNow()
const wanted = part === undefined ? Object.keys(PARTS).filter((name) => !hasPassed(name)) : [part]
const failed = wanted.filter((name) => !passes(name))
process.exitCode = failed.length === 0 ? 0 : 1

function passes(name) {
  process.stdout.write(`\n# ${name}\n`)
  const begunAt = Date.now()
  const isPassed = PARTS[name].every((command) => run(command) === 0)
  record(name, isPassed ? 'passed' : 'failed', Math.ceil((Date.now() - begunAt) / 60_000))
  return isPassed
}

/** Gives the exit code; 1 if a signal ended the command. */
function run([file, ...given]) {
  const env = { ...process.env, TEST_DATABASES: process.env.TEST_DATABASES ?? 'both' }
  const { status } = spawnSync(process.execPath, [file, ...given], { cwd: root, env, stdio: 'inherit' })
  return status ?? 1
}

function commitNow() {
  const git = (...given) => execFileSync('git', given, { cwd: root, encoding: 'utf8' }).trim()
  const changed = git('status', '--porcelain', '--', '.', `:!${path.relative(root, RECORD)}`)
  return git('rev-parse', '--short', 'HEAD') + (changed === '' ? '' : ' and changes')
}

function hasPassed(name) {
  const row = new RegExp(`^\\| ${name} \\| ${commit} \\|.*\\| passed \\|`, 'm')
  return !commit.endsWith('changes') && row.test(readFileSync(RECORD, 'utf8'))
}

/** Replaces the row of the part: part, commit, date, machine, result, minutes. */
function record(name, result, minutes) {
  const date = new Date().toISOString().slice(0, 10)
  const gib = Math.round(totalmem() / 2 ** 30)
  const machine = `${cpus().length} cores, ${gib} GiB, Node ${process.versions.node}`
  const row = `| ${[name, commit, date, machine, result, minutes].join(' | ')} |\n`
  const others = readFileSync(RECORD, 'utf8').replace(new RegExp(`^\\| ${name} \\|.*\n`, 'm'), '')
  writeFileSync(RECORD, others + row)
}
