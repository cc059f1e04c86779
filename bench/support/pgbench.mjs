// The database alone, as its own load generator sees it: what no service in front of it can beat one
// statement at a time.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { statementsOfService } from '../floors/statements.mjs'

const run = promisify(execFile)

/** Statements a second with 8 and 16 clients, or why there is no figure. */
export async function benchOnce(databaseUrl, { users, seconds, only }) {
  const { selectUser, upsertUsage } = await statementsOfService()
  const scripts = { status: selectUser.text, consume: upsertUsage.text }
  const figures = {}
  for (const [name, text] of Object.entries(scripts).filter(([name]) => only.has(name))) {
    for (const clients of [8, 16]) {
      figures[`${name}, ${clients} clients`] = await tryPgbench(databaseUrl, text, {
        users,
        seconds,
        clients,
      })
    }
  }
  return figures
}

async function tryPgbench(databaseUrl, text, { users, seconds, clients }) {
  const folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-pgbench-'))
  const file = path.join(folder, 'script.sql')
  const filled = text
    .replaceAll('$1', "('u_' || :n)")
    .replaceAll('$2', "'storage_mb'")
    .replaceAll(/\s+/g, ' ')
  writeFileSync(file, `\\set n random(1, ${users})\n${filled};\n`)
  const options = ['-n', '-M', 'prepared', '-c', clients, '-j', '2', '-T', seconds, '-f', file, databaseUrl]
  try {
    const { stdout } = await run('pgbench', options.map(String), { timeout: (seconds + 30) * 1000 })
    return Math.round(Number(/tps = ([\d.]+)/.exec(stdout)?.[1]))
  } catch (error) {
    return error.code === 'ENOENT'
      ? 'pgbench is not on this machine'
      : String(error.stderr || error.message).slice(0, 300)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
