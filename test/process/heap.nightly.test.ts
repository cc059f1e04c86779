// V8's options take effect however the process was started, and are not only set: a process that churns is
// measured.
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { buildOnce } from '../support/process.js'

const built = path.resolve(import.meta.dirname, '../../packages/ishtirak/dist/runtime/heap.js')

/**
 * Keeps up to 100,000 young objects alive, as many requests in flight do; gives the largest young generation
 * in MB.
 */
const churn = `
  import { getHeapSpaceStatistics } from 'node:v8'
  import { Session } from 'node:inspector'
  const [, built, database] = process.argv
  if (built) (await import(built)).keepHeapSmall(database)
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

it('V8 takes 32 MB for the young generation by itself', () => {
  expect(youngGenerationMb().busy).toBe(32)
})

describe.each([
  ['embedded', 16],
  ['server', 24],
] as const)('without an option of node, with the database %s', (database, most) => {
  const name = `the young generation is ${most} MB at most; what V8 takes from an idle process it gives again`
  it(name, () => {
    buildOnce()
    const { busy, idle, again } = youngGenerationMb(built, database)
    expect(busy).toBeLessThanOrEqual(most)
    expect(idle).toBeLessThan(4)
    expect(again).toBeGreaterThan(most - 4)
    expect(again).toBeLessThanOrEqual(most)
  })
})
