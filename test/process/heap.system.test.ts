// V8's options take effect however the process was started, and are not only set: a process that churns is measured.
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { expect, it } from 'vitest'
import { buildOnce } from '../support/process.js'

const built = path.resolve(import.meta.dirname, '../../packages/ishtirak/dist/runtime/heap.js')

/** Keeps up to 100,000 young objects alive, as many requests in flight do; gives the largest young generation in MB. */
const churn = `
  import { getHeapSpaceStatistics } from 'node:v8'
  import { Session } from 'node:inspector'
  if (process.argv[1]) (await import(process.argv[1])).keepHeapSmall()
  async function churn() {
    let alive = []
    let most = 0
    for (let turn = 0; turn < 200; turn++) {
      for (let index = 0; index < 10_000; index++) alive.push({ index, text: 'x' + index })
      if (alive.length > 100_000) alive = alive.slice(50_000)
      await new Promise(setImmediate)
      most = Math.max(most, youngGeneration())
    }
    return most / 2 ** 20
  }
  const youngGeneration = () =>
    getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size
  const busy = await churn()
  const session = new Session()
  session.connect()
  await new Promise((done) => session.post('HeapProfiler.collectGarbage', done))
  const idle = youngGeneration() / 2 ** 20
  console.log(JSON.stringify({ busy, idle, again: await churn() }))`

const youngGenerationMb = (...parameters: string[]) =>
  JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', churn, ...parameters], { encoding: 'utf8' }),
  )

it('without an option of node the young generation is 16 MB at most, where V8 takes 32 by itself', () => {
  buildOnce()
  expect(youngGenerationMb().busy).toBe(32)
  expect(youngGenerationMb(built).busy).toBeLessThanOrEqual(16)
})

it('what V8 takes back from an idle process it gives again to a busy one', () => {
  buildOnce()
  const { idle, again } = youngGenerationMb(built)
  expect(idle).toBeLessThan(4)
  expect(again).toBeGreaterThan(12)
  expect(again).toBeLessThanOrEqual(16)
})
