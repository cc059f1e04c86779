import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { startHolder } from '../../../../../test/support/lock-holder.js'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.js'
import { DataFolderUnusable } from './cluster-folder.js'
import { DataFolderLocked, lockFolder } from './folder-lock.js'

let folder = ''
beforeEach(() => {
  folder = temporaryFolder()
})

it('the second process is refused, with the first one’s id', async () => {
  const first = await startHolder(folder)
  expect(first.lines).toEqual(['locked'])
  const second = await startHolder(folder)
  const refusal = `DataFolderLocked: the data folder ${folder} is in use by process ${first.id}`
  expect(second.lines).toEqual([refusal])
  const error = await lockFolder(folder).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(DataFolderLocked)
  expect(String(error)).toBe(refusal)
})

it('of fifty that race within one process exactly one gets it, round after round', async () => {
  for (let round = 1; round <= 10; round++) {
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => lockFolder(folder)))
    const [winner, ...more] = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    expect(more).toEqual([])
    await winner?.()
  }
})

it('a released folder is free, leaves one small file behind, and releasing twice does no harm', async () => {
  for (let round = 1; round <= 3; round++) await (await lockFolder(folder))()
  expect(readdirSync(folder)).toEqual(['lock.3'])
  const release = await lockFolder(folder)
  await release()
  const releaseSecond = await lockFolder(folder)
  await release()
  await expect(lockFolder(folder)).rejects.toBeInstanceOf(DataFolderLocked)
  await releaseSecond()
})

it('a path longer than a socket may have is locked all the same; one of no folder is unusable', async () => {
  // 107 bytes are the most in a socket's address on Linux.
  const deep = join(folder, 'long'.repeat(30), 'longer'.repeat(30))
  mkdirSync(deep, { recursive: true })
  const release = await lockFolder(deep)
  await expect(lockFolder(deep)).rejects.toThrow(`in use by process ${process.pid}`)
  await release()
  await expect(lockFolder(join(folder, 'nothing'))).rejects.toBeInstanceOf(DataFolderUnusable)
})
