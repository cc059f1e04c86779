// The three packages as a user gets them: packed, installed into empty folders from their tarballs, and run
// there on the oldest version of Node that they promise, and on the newer ones.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dropPostgres, emptyPostgresUrl } from '../support/databases.js'
import {
  type Installed,
  install,
  nodeOf,
  npm,
  type Packed,
  packAll,
  QUIET,
  ROOT,
  remove,
  start,
  TRIED_NODES,
  temporaryFolder,
} from './installation.js'
import { bin, buyPro, describeInstalledOn, manifestOf, startSandbox } from './installed-on.js'
import { typeErrors } from './types.js'

/** The last of its line. */
const OLDER = '18.20.8'
const [OLDEST] = TRIED_NODES
let folder: string
let packed: readonly Packed[]
beforeAll(() => {
  folder = temporaryFolder()
  packed = packAll(folder)
})
afterAll(() => remove(folder))

const packageOf = (name: string) => {
  const found = packed.find((one) => one.name === name)
  if (!found) throw new Error(`${name} was not packed`)
  return found
}

describe('packed', () => {
  it('say the truth of their files and types; carry licence and README and no test or source', () => {
    const check = path.join(ROOT, 'scripts/check-package.mjs')
    execFileSync(process.execPath, [check, ...packed.map(({ file }) => file)], { stdio: 'pipe' })
    for (const { files } of packed) {
      expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']))
      expect(files.filter((file) => /\.test\.|\.map$|^src|tsconfig|\.built|stories/.test(file))).toEqual([])
    }
  })

  it('the service carries what a production starts from, and each file that the documents name of it', () => {
    const { files } = packageOf('ishtirak')
    const carried = files.filter((file) => /^deploy\/|^\.env\.example$/.test(file))
    const kept = [...readdirSync(path.join(ROOT, 'deploy')).map((name) => `deploy/${name}`), '.env.example']
    expect(carried.toSorted()).toEqual(kept.toSorted())
    const pages = readdirSync(path.join(ROOT, 'docs')).filter((name) => name.endsWith('.md'))
    const texts = ['README.md', ...pages.map((name) => `docs/${name}`)].map((name) =>
      readFileSync(path.join(ROOT, name), 'utf8'),
    )
    const named = texts.join('\n').match(/(?<![\w/])(\.\.\/)?deploy\/[\w-]+(\.[\w-]+)*|\.env\.example/g) ?? []
    expect(named.length).toBeGreaterThan(10)
    const absent = named.map((name) => name.replace('../', '')).filter((name) => !carried.includes(name))
    expect([...new Set(absent)]).toEqual([])
  })
})

let oldest: Installed | undefined
function onOldest(): Installed {
  oldest ??= install(nodeOf(OLDEST), path.join(folder, 'on-oldest'), packed)
  return oldest
}

describeInstalledOn(OLDEST, onOldest)

it('an older Node gets one sentence, from the installed command and from `npm start`', async () => {
  const { folder: at } = onOldest()
  const node = nodeOf(OLDER)
  const said = `Ishtirak needs Node 20.19 or later; this is v${OLDER}: https://nodejs.org\n`
  const command = start({ node, folder: at }, [bin('ishtirak'), 'serve'])
  expect(await command.ended()).toEqual({ end: 1, output: said })
  const steps = ['scripts/build.mjs', 'packages/ishtirak/dist/main/cli.js']
  for (const step of steps)
    expect(await start({ node, folder: ROOT }, [step]).ended()).toEqual({ end: 1, output: said })
})

describe('installed without what is optional', () => {
  let installed: Installed
  beforeAll(() => {
    installed = install(onOldest().node, path.join(folder, 'small'), packed, '--omit=optional')
  })

  it.each(['bundler', 'nodenext'] as const)('has types that are right under %s', (way) => {
    expect(typeErrors(installed.folder, way)).toBe('')
  })

  it('says what to install where the embedded database is asked for, and where there is a demo', async () => {
    const serve = await start(installed, [bin('ishtirak'), 'serve']).ended()
    const wanted = manifestOf(installed, 'ishtirak').optionalDependencies['@electric-sql/pglite']
    const output =
      `the embedded database is not installed: npm install @electric-sql/pglite@${wanted}, ` +
      `or set DATABASE_URL to a PostgreSQL server\n`
    expect(serve).toEqual({ end: 1, output })
    const demo = await start(installed, [bin('ishtirak'), 'demo']).ended()
    const elsewhere = expect.stringContaining('a checkout of https://github.com/ishtirak')
    expect(demo).toEqual({ end: 1, output: elsewhere })
  })

  it('sells pro on PostgreSQL, gives the receipt its number, and doctor says how to print it', async () => {
    const DATABASE_URL = await emptyPostgresUrl()
    {
      await using sandbox = await startSandbox(installed, { DATABASE_URL })
      const receipt = await buyPro(sandbox)
      expect(receipt.status).toBe(501)
      expect(await receipt.json()).toMatchObject({
        code: 'receipts_unavailable',
        receipt_number: expect.stringMatching(/^TEST-\d{4}-000001$/),
      })
      await sandbox.says(/"run":"npm install @myriaddreamin.*receipts are numbered, not printed/)
    }
    const { output } = await start(installed, [bin('ishtirak'), 'doctor'], { DATABASE_URL }).ended()
    expect(output).toMatch(/\[warn\] receipts: numbered, not printed.*\n\s+-> npm install @myriaddreamin/)
    await dropPostgres(DATABASE_URL)
  })
})

it('a clone is installed without what is optional, and without what only developers need', () => {
  const clone = path.join(folder, 'clone')
  for (const name of ['package.json', 'package-lock.json', '.npmrc', 'scripts/build.mjs']) copyTo(clone, name)
  for (const { name } of packed)
    for (const file of ['package.json', `bin/${name}.js`])
      copyTo(clone, `packages/${path.basename(name)}/${file}`)
  const output = npm(process.execPath, ['ci', ...QUIET, '--omit=dev', '--omit=optional'], clone)
  expect(output).toContain('added')
})

function copyTo(clone: string, name: string): void {
  const from = path.join(ROOT, name)
  if (!existsSync(from)) return
  mkdirSync(path.dirname(path.join(clone, name)), { recursive: true })
  writeFileSync(path.join(clone, name), readFileSync(from))
}
