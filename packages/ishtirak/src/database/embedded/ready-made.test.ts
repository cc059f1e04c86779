import { mkdirSync, readdirSync } from 'node:fs'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.js'
import { readyMadeDump, unpackReadyMade } from './ready-made.js'

it('without a file for this PGlite nothing is written', async () => {
  const copy = `${temporaryFolder()}/copy`
  mkdirSync(copy)
  expect(await unpackReadyMade(copy)).toBe(false)
  expect(readdirSync(copy)).toEqual([])
  expect(await readyMadeDump()).toBe(undefined)
})
