// `npm run nightly -- fault:pgbouncer [test files] [vitest options]`
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { faultCommand } from './command.js'
import { pgbouncerVersion, roleSettings, startPgbouncer } from './pgbouncer.js'
import { PostgresNode } from './postgres-node.js'

const root = path.resolve(import.meta.dirname, '../..')
const DEFAULT_TESTS = ['packages/ishtirak/src/database', '.sql.test.ts', 'test/scenarios']

export async function run(args: readonly string[]): Promise<boolean> {
  // What is unknown here is Vitest's.
  faultCommand('pgbouncer', 'Runs the tests of the store and the scenarios through PgBouncer')
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
    const vitest = path.join(root, 'node_modules/vitest/vitest.mjs')
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    const asked = ['run', '--project', 'quick', ...tests, ...options, ...reporters]
    const urls = { TEST_DATABASE_URL: server.url, TEST_POOLER_URL: pooler.url }
    const env = { ...process.env, TEST_DATABASES: 'both', ...urls }
    await once(spawn(process.execPath, [vitest, ...asked], { cwd: root, env, stdio: 'inherit' }), 'exit')
    const { numTotalTests, numPendingTests, numPassedTests, success } = JSON.parse(
      await readFile(report, 'utf8'),
    )
    // Tests excluded by an option such as `--testNamePattern` are pending.
    const ran = numTotalTests - numPendingTests
    process.stdout.write(`${pooler.version}, pool_mode = transaction, otherwise its defaults
${tests.join(' ')}: ${numPassedTests} of ${ran} tests passed
`)
    return success === true && numPassedTests === ran
  } finally {
    await pooler.close()
    await server.remove()
    await rm(folder, { recursive: true, force: true })
  }
}
