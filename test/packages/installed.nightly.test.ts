// The packages on each later Node than the oldest one, and how large they are.
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type Installed,
  install,
  installCopy,
  megabytes,
  nodeOf,
  npm,
  type Packed,
  packAll,
  remove,
  TRIED_NODES,
  temporaryFolder,
} from './installation.js'
import { describeInstalledOn } from './installed-on.js'

const [OLDEST, ...LATER] = TRIED_NODES

let folder: string
let packed: readonly Packed[]
let oldest: Installed
beforeAll(() => {
  folder = temporaryFolder()
  packed = packAll(folder)
  oldest = install(nodeOf(OLDEST), path.join(folder, 'on-oldest'), packed)
})
afterAll(() => remove(folder))

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

it('without what is optional the service takes 41 MB at most', () => {
  const installed = install(oldest.node, path.join(folder, 'small'), packed, '--omit=optional')
  expect(megabytes(path.join(installed.folder, 'node_modules'))).toBeLessThanOrEqual(41)
})
