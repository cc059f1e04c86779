// Many processes that race for one data folder.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Child } from '../../../../../test/support/child-process.js'
import { runBuilt } from '../../../../../test/support/compiled-sources.js'

let folder = ''
let children: Child[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ishtirak-lock-'))
})
afterEach(async () => {
  await Promise.all(children.map((child) => child.kill()))
  children = []
  rmSync(folder, { recursive: true, force: true })
})

const holder = `
  import { lockFolder } from './main/internal.js'
  try {
    await lockFolder(process.argv[2])
    console.log('locked')
    setInterval(() => {}, 1_000_000)
  } catch (error) {
    console.log(error.name + ' ' + error.holder?.processId)
  }`

const startAndWait = async () => {
  const child = runBuilt(holder, folder)
  children.push(child)
  await expect.poll(() => child.lines.length).toBe(1)
  return child
}

it('a new folder, or one that a killed process held, goes to exactly one of eight', async () => {
  for (let round = 0; round <= 1; round++) {
    if (round > 0) {
      const dead = await startAndWait()
      expect(dead.lines).toEqual(['locked'])
      await dead.kill()
    }
    const racers = await Promise.all(Array.from({ length: 8 }, startAndWait))
    expect(racers.filter(({ lines }) => lines[0] === 'locked')).toHaveLength(1)
    expect(racers.filter(({ lines }) => lines[0]?.startsWith('DataFolderLocked'))).toHaveLength(7)
    await Promise.all(racers.map((racer) => racer.kill()))
  }
})
