// On the oldest version of Node that is promised. The nightly run has the newer ones.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { temporaryFolder } from '../support/temporary-folder.js'
import {
  type Installed,
  install,
  nodeOf,
  type Packed,
  packAll,
  ROOT,
  start,
  TRIED_NODES,
} from './installation.js'
import { bin, describeInstalledOn } from './installed-on.js'

/** The last of its line. */
const OLDER = '18.20.8'
const [OLDEST] = TRIED_NODES
const folder = temporaryFolder()
let packed: readonly Packed[]
beforeAll(() => {
  packed = packAll(folder)
})

const packageOf = (name: string) => {
  const found = packed.find((one) => one.name === name)
  if (!found) throw new Error(`${name} was not packed`)
  return found
}

describe('packed', () => {
  it('carry licence and README and no test or source', () => {
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
