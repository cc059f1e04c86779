// `npm run nightly -- fault:pgbouncer [test files] [vitest options]`
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { faultCommand } from './command.js'
import { roleSettings, startPgbouncer } from './pgbouncer.js'
import { PostgresNode } from './postgres-node.js'

const root = path.resolve(import.meta.dirname, '../..')
const DEFAULT_TESTS = ['packages/ishtirak/src/database', '.sql.test.ts', 'test/scenarios']

export async function run(args: readonly string[]): Promise<boolean> {
  // What is unknown here is Vitest's.
  faultCommand('pgbouncer', 'Runs the tests of the store and the scenarios through PgBouncer')
    .argument('[files and options...]', `as Vitest has them (default: ${DEFAULT_TESTS.join(' ')})`)
    .allowUnknownOption()
    .parse(args, { from: 'user' })
  const server = await PostgresNode.create()
  for (const setting of roleSettings('postgres')) await server.ask(setting)
  const pooler = await startPgbouncer(server.url)
  process.stdout.write(`${pooler.version}, pool_mode = transaction, otherwise its defaults\n`)
  try {
    const tests = args.some((arg) => !arg.startsWith('--')) ? [] : DEFAULT_TESTS
    const asked = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'quick', ...tests, ...args]
    const urls = { TEST_DATABASE_URL: server.url, TEST_POOLER_URL: pooler.url }
    const env = { ...process.env, TEST_DATABASES: 'both', ...urls }
    const [code] = await once(spawn(process.execPath, asked, { cwd: root, env, stdio: 'inherit' }), 'exit')
    return code === 0
  } finally {
    await pooler.close()
    await server.remove()
  }
}
