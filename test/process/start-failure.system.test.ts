// A failed start prints one sentence with the cause, the place and the remedy, without a stack trace.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { openFolder } from '../../packages/ishtirak/src/database/embedded/pglite.js'
import { explainFailure } from '../../packages/ishtirak/src/main/doctor.js'
import { makeEmbeddedFolder } from '../support/embedded-folder.js'
import { buildOnce, PROGRAM, runCommand } from '../support/process.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const parent = temporaryFolder()
let folder: string
beforeAll(() => makeEmbeddedFolder(path.join(parent, 'whole')))
beforeEach(() => {
  folder = temporaryFolder()
})

const copyOfDatabase = () => cpSync(path.join(parent, 'whole'), folder, { recursive: true })

/** What `serve` prints when it gives up, without the lines of the log. */
async function sentence(env: Record<string, string> = {}): Promise<string> {
  const ports = { PORT: '0', SANDBOX_PORT: '0', METRICS_PORT: '0' }
  const { code, output } = await runCommand(['serve'], { DATA_DIR: folder, ...ports, ...env })
  expect(code).toBe(1)
  expect(output).not.toMatch(/^\s+at /m)
  const lines = output.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
  expect(lines).toHaveLength(1)
  return lines[0] ?? ''
}

it('a DATA_DIR where no folder can be made', async () => {
  const file = path.join(folder, 'file')
  writeFileSync(file, '')
  expect(await sentence({ DATA_DIR: file })).toMatch(
    /the data folder .*file\/database cannot be used: .*not a directory.* set DATA_DIR to another folder\.$/,
  )
  expect(await sentence({ DATA_DIR: '/proc/ishtirak' })).toMatch(
    /cannot be used: .*'\/proc\/ishtirak'.* DATA_DIR/,
  )
})

it('a truncated table', async () => {
  copyOfDatabase()
  const tables = path.join(folder, 'database/postgres/base/5')
  for (const name of readdirSync(tables)) {
    const table = path.join(tables, name)
    if (/^\d{5}$/.test(name) && statSync(table).size > 0) truncateSync(table, 100)
  }
  const said = await sentence()
  expect(said).toContain(`the database in ${folder}/database is damaged: could not read blocks`)
  expect(said).toContain('restore it from a backup')
})

it('a control file of zeros', async () => {
  copyOfDatabase()
  writeFileSync(path.join(folder, 'database/postgres/global/pg_control'), Buffer.alloc(8_192))
  const said = await sentence()
  expect(said).toContain(`${folder}/database/postgres is damaged: PostgreSQL does not start on it`)
  expect(said).toMatch(/Restore the whole folder/)
})

it('a folder that this user may not write to', async () => {
  const locked = path.join(folder, 'locked')
  mkdirSync(locked, { mode: 0o500 })
  const isRoot = process.geteuid?.() === 0
  // Root may write anywhere, so this call runs as another user.
  if (isRoot) process.seteuid?.(65_534)
  const refused = openFolder(path.join(locked, 'database')).catch((error: unknown) => error)
  if (isRoot) process.seteuid?.(0)
  expect(explainFailure(await refused, { DATA_DIR: locked })).toMatch(
    new RegExp(
      'locked.* cannot be used: Error: EACCES: permission denied.* Give it to this user, .*, ' +
        'or set DATA_DIR to another folder\\.$',
    ),
  )
})

// Of a size in memory, where only root may mount one; elsewhere the disk of the test is not to be filled.
it.runIf(process.geteuid?.() === 0)('a disk that is full', async () => {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'none', folder])
  try {
    expect(await sentence()).toMatch(
      new RegExp(
        `^the disk of ${folder}/database is full: \\d MB are free, ` +
          `and a new database takes 26\\. Make room, or set DATA_DIR to another folder\\.$`,
      ),
    )
  } finally {
    execFileSync('umount', [folder])
  }
})

it('a reader that has read enough ends a command without a word', () => {
  buildOnce()
  const line = `"${process.execPath}" "${PROGRAM}" doctor | head -n 1`
  const { stdout, stderr } = spawnSync('/bin/sh', ['-c', line], { env: { DATABASE_URL: 'memory:' } })
  expect([String(stdout), String(stderr)]).toEqual([expect.stringMatching(/^.*configuration.*\n$/), ''])
})

it('a bug keeps its stack', () => {
  expect(explainFailure(new TypeError('x is not a function'), {})).toMatch(/^TypeError: x .*\n +at /)
})
