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
const tool = (name, ...options) => script('run', name, ...options)
const tests = (...files) => ['node_modules/vitest/vitest.mjs', 'run', '--project', 'nightly', ...files]

/** The commands of each part. Options that are given go to the first one. */
const PARTS = {
  mutate: [script('mutate')],
  'broken-rules': [tests('test/simulation')],
  simulate: [tool('simulate', '--seeds', '1-2000')],
  fuzz: [tool('fuzz', '--calls', '100000', '--seed', '1'), tool('fuzz', '--uploads', '20000')],
  'fault:kill': [
    tool('kill', '--database', 'embedded', '--cycles', '60'),
    tool('kill', '--database', 'server', '--cycles', '120'),
  ],
  'fault:flush': [tool('flush')],
  'fault:server': [tool('server')],
  'fault:hang': [tool('hang'), tests('test/faults/hang')],
  'fault:pgbouncer': [tool('pgbouncer'), tests('test/faults/pgbouncer')],
  'fault:patroni': [tool('patroni')],
  costs: [tests('test/costs', 'test/plans')],
  memory: [tests('process/memory', 'process/many-receipts')],
  processes: [
    tests('killed', 'process/backup', 'process/rolling', 'process/traces', 'mounted-folder', 'embedded/'),
  ],
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
  try {
    const git = (...given) => execFileSync('git', given, { cwd: root, encoding: 'utf8' }).trim()
    const changed = git('status', '--porcelain', '--', '.', `:!${path.relative(root, RECORD)}`)
    return git('rev-parse', '--short', 'HEAD') + (changed === '' ? '' : ' and changes')
  } catch {
    return 'unknown'
  }
}

function hasPassed(name) {
  const [, of, , , result] = rows().get(name) ?? []
  return result === 'passed' && of === commit && commit !== 'unknown' && !commit.endsWith('changes')
}

/** By part, the cells of its row in the table: part, commit, date, machine, result, minutes. */
function rows() {
  const lines = readFileSync(RECORD, 'utf8').match(/^\| [a-z].*$/gm) ?? []
  const cells = lines.map((line) => line.slice(2, -2).split(' | '))
  return new Map(cells.map((row) => [row[0], row]))
}

function record(name, result, minutes) {
  const date = new Date().toISOString().slice(0, 10)
  const gib = Math.round(totalmem() / 2 ** 30)
  const machine = `${cpus().length} cores, ${gib} GiB, Node ${process.versions.node}`
  const kept = rows()
  kept.set(name, [name, commit, date, machine, result, String(minutes)])
  const inOrder = Object.keys(PARTS).flatMap((one) => (kept.has(one) ? [kept.get(one)] : []))
  const text = readFileSync(RECORD, 'utf8')
  const head = text.slice(0, text.indexOf('| part |'))
  const table = [
    ['part', 'commit', 'date', 'machine', 'result', 'minutes'],
    ...[Array.from({ length: 6 }, () => '---')],
    ...inOrder,
  ]
  writeFileSync(RECORD, `${head}${table.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`)
}
