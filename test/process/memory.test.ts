// Where the first start of the embedded database cannot have its memory, it says so before it begins.
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { memoryLimits, requireMemory } from '../../src/store/memory-limits.js'
import { buildOnce, launchService } from '../support/process.js'

beforeAll(buildOnce, 120_000)

describe('the first start', () => {
  it('with too few addresses ends with 1 and one sentence with the figures, before anything is created', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'ishtirak-'))
    const limited = ['sh', '-c', 'ulimit -v 16777216; exec "$0" "$@"']
    const service = launchService({ PORT: '0', SANDBOX_PORT: '0', DATA_DIR: folder }, limited)
    expect(await service.ended()).toBe(1)
    expect(service.lines).toEqual([
      'creating the embedded database needs 53000 MB of address space (not memory), ulimit -v allows 16384 MB',
    ])
    expect(await readdir(path.join(folder, 'database', 'postgres.unfinished'))).toEqual([])
    await rm(folder, { recursive: true, force: true })
  }, 120_000)

  it('with less memory than it needs is refused, with as much it is not', () => {
    const needed = { memoryMb: 900, addressSpaceMb: 53_000 }
    const has = (memoryMb: number) => () =>
      requireMemory('creating', needed, { memoryMb, addressSpaceMb: Number.POSITIVE_INFINITY })
    expect(has(768)).toThrow('creating needs 900 MB of memory, the machine or container has 768 MB')
    expect(has(900)).not.toThrow()
  })

  it('reads what the machine has', () => {
    expect(memoryLimits().memoryMb).toBeGreaterThan(500)
    expect(memoryLimits().memoryMb).toBeLessThan(10_000_000)
  })
})
