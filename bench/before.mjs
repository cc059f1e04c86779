// npm run bench -- before: this build beside the anchor of bench/anchor.json, or beside the command that
// --program names. The anchor is a fixed commit, because a comparison with the last commit hides a slow loss.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { artifacts, compareAll, readOptions, withServers } from './support/compare.mjs'
import { startSeeded } from './support/seed.mjs'

const root = path.dirname(import.meta.dirname)
const given = readOptions('before', 'This build beside the anchor of bench/anchor.json', {
  program: ['beside this command of another build instead'],
  only: ['these paths; also history, overview, user, portal', 'status,consume,webhook,upgrade'],
  rounds: ['of each comparison', 8],
  seconds: ['of each round', 3],
  connections: ['callers at the same time', 32],
  stock: ['payments that wait for a webhook', 60000],
})
const { program, only, rounds, seconds, connections, stock } = given
const anchor = JSON.parse(readFileSync(path.join(root, 'bench/anchor.json'), 'utf8'))
const USERS = 5_000
const AIMS = program === undefined ? { status: 1.15, consume: 1.05, webhook: 1, upgrade: 1 } : {}

const before = program === undefined ? anchorProgram() : path.resolve(program)
await withServers(5, async ({ server, provider, driver }) => {
  const side = { rows: { users: USERS, waiting: { wm_: stock } }, env: { CHARGILY_API_URL: provider.url } }
  const sides = {
    ours: await startSeeded(server, 'after', side),
    other: await startSeeded(server, 'before', { ...side, program: before }),
  }
  const paths = only.split(',').map((kind) => {
    const options = { users: USERS, prefix: kind === 'upgrade' ? 'new_' : 'wm_' }
    return {
      name: kind,
      against: program === undefined ? anchor.commit.slice(0, 7) : 'before',
      target: AIMS[kind] ?? 1,
      stock: ['webhook', 'upgrade'].includes(kind) ? stock : undefined,
      ours: { ...sides.ours, kind, options },
      other: { ...sides.other, kind, options },
    }
  })
  await compareAll('before', driver, { sides, paths, connections, rounds, seconds })
})

/** Builds the anchor once, in a folder of its own, and returns its command. */
function anchorProgram() {
  const { commit, program } = anchor
  const folder = path.join(artifacts, 'anchor', commit)
  if (!existsSync(folder)) {
    const unfinished = `${folder}.unfinished`
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished, { recursive: true })
    console.error(`building ${commit} in ${folder}`)
    const files = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 28 })
    execFileSync('tar', ['-x'], { cwd: unfinished, input: files })
    // The script `prepare` of the anchor builds it.
    const stdio = ['ignore', 'ignore', 'inherit']
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: unfinished, stdio })
    renameSync(unfinished, folder)
  }
  return path.join(folder, program)
}
