import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { publint } from 'publint'
import { dropPostgres, emptyPostgresUrl } from '../support/databases.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import {
  type Installed,
  install,
  installCopy,
  megabytes,
  nodeOf,
  npm,
  type Packed,
  packAll,
  QUIET,
  ROOT,
  start,
  TRIED_NODES,
} from './installation.js'
import { bin, buyPro, describeInstalledOn, manifestOf, startSandbox } from './installed-on.js'
import { typeErrors } from './types.js'

const [OLDEST, ...LATER] = TRIED_NODES

const folder = temporaryFolder()
let packed: readonly Packed[]
let oldest: Installed
beforeAll(() => {
  packed = packAll(folder)
  oldest = install(nodeOf(OLDEST), path.join(folder, 'on-oldest'), packed)
})

for (const version of LATER)
  describeInstalledOn(version, () => installCopy(nodeOf(version), path.join(folder, `on-${version}`), oldest))

it('the client has at most 60 kB and depends on nothing', () => {
  const client = packed.filter(({ name }) => name === '@ishtirak/client')
  expect(client.map(({ bytes }) => bytes < 60_000)).toEqual([true])
  const installed = install(process.execPath, path.join(folder, 'client'), client)
  const tree = JSON.parse(npm(process.execPath, ['ls', '--all', '--json'], installed.folder))
  expect(Object.keys(tree.dependencies)).toEqual(['@ishtirak/client'])
  expect(tree.dependencies['@ishtirak/client'].dependencies).toBeUndefined()
})

it('packed, they say the truth of their files', async () => {
  for (const { file } of packed) {
    const { buffer: tarball } = new Uint8Array(readFileSync(file))
    expect([file, (await publint({ pack: { tarball }, strict: true })).messages]).toEqual([file, []])
  }
})

describe('installed without what is optional', () => {
  let installed: Installed
  beforeAll(() => {
    installed = install(oldest.node, path.join(folder, 'small'), packed, '--omit=optional')
  })

  it.each(['bundler', 'nodenext'] as const)('has types that are right under %s', (way) => {
    expect(typeErrors(installed.folder, way)).toBe('')
  })

  it('takes 41 MB at most with the service', () => {
    expect(megabytes(path.join(installed.folder, 'node_modules'))).toBeLessThanOrEqual(41)
  })

  it('says what to install where the embedded database is asked for, and where there is a demo', async () => {
    const serve = await start(installed, [bin('ishtirak'), 'serve']).ended()
    const wanted = manifestOf(installed, 'ishtirak').optionalDependencies['@electric-sql/pglite']
    const output =
      `the embedded database is not installed: npm install @electric-sql/pglite@${wanted}, ` +
      `or set DATABASE_URL to a PostgreSQL server\n`
    expect(serve).toEqual({ end: 1, output })
    const demo = await start(installed, [bin('ishtirak'), 'demo']).ended()
    const elsewhere = expect.stringContaining('a clone of https://github.com/ishtirak')
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
      await sandbox.says(/"run":"npm install @myriaddreamin.*receipts get numbers and no PDF/)
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
