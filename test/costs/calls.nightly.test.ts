import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { buildOnce } from '../support/process.js'
import { CALLS, type CallCosts } from './costs.js'
import { expectCost } from './expect-cost.js'

const BENCHMARK = path.resolve(import.meta.dirname, '../../bench/calls.mjs')

/** Of `promoted`, where a call leaves next to nothing. */
const CHANCE = 30

type Heap = Pick<CallCosts, 'allocated' | 'promoted'>

describe('a call', () => {
  let found: Readonly<Record<string, CallCosts & { slices: readonly Heap[] }>> = {}
  beforeAll(async () => {
    buildOnce()
    const env = { PATH: process.env.PATH, BENCH_DATABASE_URL: inject('serverUrl') }
    const { stdout } = await promisify(execFile)(process.execPath, [BENCHMARK], { env })
    found = JSON.parse(stdout)
  })

  it.each(Object.entries(CALLS))('%s costs its statements and bytes, and no more', (name, costs) => {
    const measured = found[name]
    if (!measured) throw new Error(`${name} was not measured`)
    expect.soft(measured.statements, 'statements').toBe(costs.statements)
    expect.soft(measured.roundTrips, 'round trips').toBe(costs.roundTrips)
    const slices = (figure: keyof Heap) => measured.slices.map((slice) => slice[figure])
    expectCost('bytes allocated', slices('allocated'), costs.allocated)
    expectCost('bytes promoted', slices('promoted'), costs.promoted, CHANCE)
  })
})
