import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.js'
import { packCluster, readyMadeDump, unpackReadyMade } from './ready-made.js'

let parent = ''
beforeEach(() => {
  parent = temporaryFolder()
})

it('without a file for this PGlite nothing is written', async () => {
  mkdirSync(join(parent, 'copy'))
  expect(await unpackReadyMade(join(parent, 'copy'))).toBe(false)
  expect(readdirSync(join(parent, 'copy'))).toEqual([])
  expect(await readyMadeDump()).toBe(undefined)
})

it('a damaged file is refused before anything is written', async () => {
  const original = join(parent, 'original')
  const copy = join(parent, 'copy')
  const file = join(parent, 'cluster.tar.packed')
  mkdirSync(original)
  mkdirSync(copy)
  writeFileSync(join(original, 'PG_VERSION'), 'contents that are stored as they are')
  const whole = packCluster(original)
  const flipped = Buffer.from(whole)
  const at = flipped.length - 8
  flipped.writeUInt8(flipped.readUInt8(at) ^ 1, at)
  // The last one unpacks without an error but is no cluster.
  const others = ['', 'a text', 'x'.repeat(2048)].map((text) => brotliCompressSync(text))
  for (const damaged of [flipped, whole.subarray(0, at), Buffer.alloc(0), ...others]) {
    writeFileSync(file, damaged)
    await expect(unpackReadyMade(copy, file)).rejects.toThrow(`${file} is damaged`)
    expect(readdirSync(copy)).toEqual([])
  }
})
