// The three packages as a user gets them: packed, installed into empty folders from their tarballs, and run
// there on the oldest version of Node that they promise, and on the newer ones.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dropPostgres, emptyPostgresUrl } from '../support/databases.js'
import { freePort } from '../support/free-port.js'
import { waitFor } from '../support/wait-for.js'
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
  remove,
  start,
  TRIED_NODES,
  temporaryFolder,
} from './installation.js'
import { typeErrors } from './types.js'

/** The last of its line. */
const OLDER = '18.20.8'
const [OLDEST] = TRIED_NODES
const VERSION = JSON.parse(readFileSync(path.join(ROOT, 'packages/ishtirak/package.json'), 'utf8')).version
const PLATFORM_KEY = 'a-key-of-the-platform-of-the-tests'

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
  it('say the truth of their files and types', () => {
    const check = path.join(ROOT, 'scripts/check-package.mjs')
    execFileSync(process.execPath, [check, ...packed.map(({ file }) => file)], { stdio: 'pipe' })
  })

  it('carry licence and README, and nothing that only the repository needs', () => {
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

  it('the client is small and depends on nothing', () => {
    const { bytes } = packageOf('@ishtirak/client')
    expect(bytes).toBeLessThan(60_000)
    const installed = install(process.execPath, path.join(folder, 'client'), [packageOf('@ishtirak/client')])
    const tree = JSON.parse(npm(process.execPath, ['ls', '--all', '--json'], installed.folder))
    expect(Object.keys(tree.dependencies)).toEqual(['@ishtirak/client'])
    expect(tree.dependencies['@ishtirak/client'].dependencies).toBeUndefined()
  })
})

let oldest: Installed | undefined
function onOldest(): Installed {
  oldest ??= install(nodeOf(OLDEST), path.join(folder, 'on-oldest'), packed)
  return oldest
}

describe.each(TRIED_NODES)('installed on Node %s', (version) => {
  let installed: Installed
  beforeAll(() => {
    const first = onOldest()
    const at = path.join(folder, `on-${version}`)
    installed = version === OLDEST ? first : installCopy(nodeOf(version), at, first)
  })

  it('have a whole tree without overrides, each package of which takes this Node', () => {
    // `install` is strict about engines, and leaves out an optional package that does not fit.
    npm(installed.node, ['ls', '--all'], installed.folder)
    for (const name of Object.keys(manifestOf(installed, 'ishtirak').optionalDependencies))
      expect([name, existsSync(path.join(installed.folder, 'node_modules', name))]).toEqual([name, true])
  })

  it('npx ishtirak --version', () => {
    expect(npm(installed.node, ['exec', '--', 'ishtirak', '--version'], installed.folder).trim()).toBe(
      VERSION,
    )
  })

  it('the sandbox sells pro, prints its receipt, and answers the README of the client', async () => {
    await using sandbox = await startSandbox(installed, {})
    const receipt = await buyPro(sandbox)
    expect([receipt.status, receipt.headers.get('content-type')]).toEqual([200, 'application/pdf'])
    const [program = ''] = examplesOf('packages/client/README.md')
    const env = { PLATFORM_API_KEY: PLATFORM_KEY }
    const asked = program.replace('http://127.0.0.1:3000', sandbox.url)
    const answer = /^true 1 \d+ \d{4}-/
    expect(await run(installed, 'client.mjs', asked, env)).toMatch(answer)
    // The same operation again.
    expect(await run(installed, 'client.cjs', asCommonJs(asked), env)).toMatch(answer)
  })

  it('the README of the emulator: in a test, and as a command', async () => {
    const [program = ''] = examplesOf('packages/chargily-emulator/README.md')
    expect(await run(installed, 'emulator.mjs', program)).toBe(
      "[ [ 'checkout.paid', 1 ], [ 'checkout.paid', 1 ] ]\n",
    )
    const port = await freePort()
    await using command = start(installed, [bin('chargily-emulator'), '--port', String(port)])
    await command.says(/_sandbox/)
    expect((await fetch(`http://127.0.0.1:${port}/_sandbox`)).status).toBe(200)
  })

  it('the README of the service: mounted in a server of node:http', async () => {
    const [program = ''] = examplesOf('packages/ishtirak/README.md')
    const port = await freePort()
    writeFileSync(path.join(installed.folder, 'mounted.mjs'), program.replaceAll('3000', String(port)))
    await using _host = start(installed, ['mounted.mjs'])
    const url = `http://127.0.0.1:${port}/api/v1/billing/status`
    const status = () => fetch(url, { headers: { 'x-user': 'user-1' } }).catch(() => null)
    await waitFor(async () => (await status()) !== null)
    expect(await (await status())?.json()).toMatchObject({ plan: 'free', status: 'active' })
    expect((await fetch(url)).status).toBe(401)
  })
})

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

describe('types, where the packages are installed', () => {
  let installed: Installed
  beforeAll(() => {
    installed = install(process.execPath, path.join(folder, 'types'), packed, '--omit=optional')
  })

  it.each(['bundler', 'node16', 'nodenext'] as const)('are right under %s', (way) => {
    expect(typeErrors(installed.folder, way)).toBe('')
  })
})

describe('installed without what is optional', () => {
  let installed: Installed
  beforeAll(() => {
    installed = install(onOldest().node, path.join(folder, 'small'), packed, '--omit=optional')
  })

  it('takes 41 MB at most', () => {
    expect(megabytes(path.join(installed.folder, 'node_modules'))).toBeLessThanOrEqual(41)
  })

  it('says what to install where the embedded database is asked for', async () => {
    const { end, output } = await start(installed, [bin('ishtirak'), 'serve']).ended()
    const wanted = manifestOf(installed, 'ishtirak').optionalDependencies['@electric-sql/pglite']
    expect([end, output]).toEqual([
      1,
      `the embedded database is not installed: npm install @electric-sql/pglite@${wanted}, ` +
        `or set DATABASE_URL to a PostgreSQL server\n`,
    ])
  })

  it('has no demo, and says where there is one', async () => {
    const { end, output } = await start(installed, [bin('ishtirak'), 'demo']).ended()
    expect([end, output]).toEqual([1, expect.stringContaining('a checkout of https://github.com/ishtirak')])
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

describe('a clone', () => {
  it.each(['--omit=dev', '--omit=dev --omit=optional', '--omit=optional'])('npm ci %s', (omitted) => {
    const clone = path.join(folder, `clone${omitted.replaceAll(' ', '')}`)
    for (const name of ['package.json', 'package-lock.json', '.npmrc', 'scripts/build.mjs'])
      copyTo(clone, name)
    for (const { name } of packed) {
      const of = `packages/${path.basename(name)}`
      for (const file of ['package.json', `bin/${name}.js`]) copyTo(clone, `${of}/${file}`)
    }
    const output = npm(process.execPath, ['ci', ...QUIET, ...omitted.split(' ')], clone)
    expect(output).toContain('added')
  })
})

const bin = (name: string) => `node_modules/${name}/bin/${name}.js`

function manifestOf({ folder: of }: Installed, name: string) {
  return JSON.parse(readFileSync(path.join(of, 'node_modules', name, 'package.json'), 'utf8'))
}

/** The blocks of JavaScript in a document. */
function examplesOf(document: string): string[] {
  const blocks = readFileSync(path.join(ROOT, document), 'utf8').matchAll(/```js\n([\s\S]*?)```/g)
  return [...blocks].map(([, code = '']) => code)
}

/** The same program where there is neither `import` nor `await` outside of functions. */
function asCommonJs(program: string): string {
  const required = program.replace(/import (\{.*\}) from ('.*')/g, 'const $1 = require($2)')
  return `(async () => {\n${required}\n})()\n`
}

/** Gives what it printed. */
async function run(of: Installed, name: string, program: string, env = {}): Promise<string> {
  writeFileSync(path.join(of.folder, name), program)
  const { end, output } = await start(of, [name], env).ended()
  if (end !== 0) throw new Error(`${name} ended with ${end}:\n${output}`)
  return output
}

async function startSandbox(of: Installed, env: Record<string, string>) {
  const port = await freePort()
  const program = start(of, [bin('ishtirak')], {
    PORT: String(port),
    SANDBOX_PORT: String(await freePort()),
    PLATFORM_API_KEYS: PLATFORM_KEY,
    ...env,
  })
  const [, token = ''] = await program.says(/TOKEN=(\S+)/)
  return { ...program, url: `http://127.0.0.1:${port}`, token }
}

/** As the lines that the sandbox prints; gives the answer for the receipt. */
async function buyPro({ url, token }: { readonly url: string; readonly token: string }): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const api = `${url}/api/v1/billing`
  const upgrade = await fetch(`${api}/upgrade`, { method: 'POST', headers, body: '{"plan":"pro"}' })
  const { checkout_url: checkoutUrl, payment_id: paymentId } = await upgrade.json()
  const paid = new URLSearchParams({ payment_method: 'edahabia', outcome: 'paid' })
  await fetch(checkoutUrl, { method: 'POST', body: paid, redirect: 'manual' })
  await waitFor(async () => (await (await fetch(`${api}/status`, { headers })).json()).plan === 'pro')
  return fetch(`${api}/payments/${paymentId}/receipt`, { headers })
}

function copyTo(clone: string, name: string): void {
  const from = path.join(ROOT, name)
  if (!existsSync(from)) return
  mkdirSync(path.dirname(path.join(clone, name)), { recursive: true })
  writeFileSync(path.join(clone, name), readFileSync(from))
}
