// V8's options take effect however the process was started, and are not only set: a process that churns is measured.
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { expect, it } from 'vitest'
import { buildOnce } from '../support/process.js'

const built = path.resolve(import.meta.dirname, '../../packages/ishtirak/dist/runtime/heap.js')

/** Keeps up to 100,000 young objects alive, as many requests in flight do; gives the largest young generation in MB. */
const churn = `
  import { getHeapSpaceStatistics } from 'node:v8'
  if (process.argv[1]) (await import(process.argv[1])).keepHeapSmall()
  let alive = []
  let most = 0
  for (let turn = 0; turn < 200; turn++) {
    for (let index = 0; index < 10_000; index++) alive.push({ index, text: 'x' + index })
    if (alive.length > 100_000) alive = alive.slice(50_000)
    await new Promise(setImmediate)
    const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
    most = Math.max(most, space.space_size)
  }
  console.log(most / 2 ** 20)`

const youngGenerationMb = (...parameters: string[]) =>
  Number(execFileSync(process.execPath, ['--input-type=module', '-e', churn, ...parameters]))

it('without an option of node the young generation is 16 MB at most, where V8 takes 32 by itself', () => {
  buildOnce()
  expect(youngGenerationMb()).toBe(32)
  expect(youngGenerationMb(built)).toBeLessThanOrEqual(16)
})
