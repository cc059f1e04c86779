// `npm run nightly -- fault:pgbouncer [test files] [vitest options]`: the tests of the store and the
// scenarios through PgBouncer.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Command } from 'commander'
import { pgbouncerVersion, roleSettings, startPgbouncer } from './pgbouncer.js'
import { PostgresNode } from './postgres-node.js'

const root = path.resolve(import.meta.dirname, '../..')
const DEFAULT_TESTS = ['packages/ishtirak/src/database', '.sql.test.ts', 'test/scenarios']

export async function run(args: readonly string[]): Promise<boolean> {
  // What is unknown here is Vitest's.
  new Command('npm run nightly -- fault:pgbouncer')
    .description('Runs the tests of the store and the scenarios through PgBouncer')
    .argument('[files and options...]', `as Vitest has them (default: ${DEFAULT_TESTS.join(' ')})`)
    .allowUnknownOption()
    .parse(args, { from: 'user' })
  pgbouncerVersion()
  const server = await PostgresNode.create()
  for (const setting of roleSettings('postgres')) await server.ask(setting)
  const pooler = await startPgbouncer(server.url)
  const folder = await mkdtemp(path.join(tmpdir(), 'ishtirak-report-'))
  try {
    const report = path.join(folder, 'report.json')
    const options = args.filter((arg) => arg.startsWith('--'))
    const named = args.filter((arg) => !arg.startsWith('--'))
    const tests = named.length > 0 ? named : DEFAULT_TESTS
    await runTests([...tests, ...options], report, {
      TEST_DATABASES: 'both',
      TEST_DATABASE_URL: server.url,
      TEST_POOLER_URL: pooler.url,
    })
    const { numTotalTests, numPendingTests, numPassedTests, success } = JSON.parse(
      await readFile(report, 'utf8'),
    )
    // Tests excluded by an option such as `--testNamePattern` are pending.
    const asked = numTotalTests - numPendingTests
    process.stdout.write(`${pooler.version}, pool_mode = transaction, otherwise its defaults
${tests.join(' ')}: ${numPassedTests} of ${asked} tests passed
`)
    return success === true && numPassedTests === asked
  } finally {
    await pooler.close()
    await server.remove()
    await rm(folder, { recursive: true, force: true })
  }
}

async function runTests(
  tests: readonly string[],
  report: string,
  env: Record<string, string>,
): Promise<void> {
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const child = spawn(process.execPath, [vitest, 'run', '--project', 'quick', ...tests, ...reporters], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  })
  await once(child, 'exit')
}
