import os from 'node:os'
import { describeOnEach } from '../../../../test/support/databases.js'
import { DAY, HOUR, MINUTE } from '../core/instant.js'
import { systemClock } from '../runtime/clock.js'
import { createLog } from '../runtime/log.js'
import type { Database } from './database.js'
import { guardSystemClock, WrongClock } from './guarded-clock.js'
import { claimRound } from './job-leases.js'

describeOnEach('the clock of the machine', ({ database, kind }) => {
  let offMs: number
  let lines: { trouble: string }[]
  const clock = { now: () => systemClock().now() + offMs }
  const guardedOn = (on: Database, checkedOn?: string) => {
    const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
    const log = createLog({ level: 'error', destination })
    return guardSystemClock(clock, { database: on, log, checkedOn })
  }
  const troubleOf = async (checkedOn?: string) => {
    const { guard } = guardedOn(database(), checkedOn)
    await guard?.compare().catch((error: unknown) => expect(error).toBeInstanceOf(WrongClock))
    return guard?.trouble()?.words ?? null
  }
  const writtenAt = (now: number) => claimRound(database(), 'a-job', { now: now - 1, nextRunAt: now })
  beforeEach(() => {
    offMs = 0
    lines = []
  })
  afterEach(() => vi.restoreAllMocks())

  it('that jumps gives no instant, until it is right again, and may be off by some minutes', async () => {
    for (const [ms, said] of [
      [11 * MINUTE, '11.0 minutes ahead of'],
      [400 * DAY, '400.0 days ahead of'],
      [-11 * MINUTE, '11.0 minutes behind'],
      [-3 * HOUR, '3.0 hours behind'],
    ] as const) {
      offMs = 0
      lines = []
      const { now, guard } = guardedOn(database())
      await guard?.compare()
      offMs = ms
      expect(now).toThrow(WrongClock)
      expect(now).toThrow(said)
      expect(guard?.trouble()?.words).toContain(said)
      expect(guard?.unguarded.now()).toBeGreaterThan(0)
      expect(lines.map(({ trouble }) => trouble)).toEqual([expect.stringContaining(said)])
      offMs = 0
      expect(guard?.trouble()).toBeNull()
      expect(Math.abs(now() - clock.now())).toBeLessThan(MINUTE)
      lines = []
      for (offMs of [9 * MINUTE, 0, -9 * MINUTE]) expect(now()).toBeGreaterThan(0)
      expect(lines).toEqual([])
    }
  })

  if (kind === 'postgres') {
    it('is compared with the server at the start', async () => {
      expect(await troubleOf()).toBeNull()
      offMs = HOUR
      expect(await troubleOf()).toBe(
        'the clock of this machine is 60.0 minutes ahead of that of the database server',
      )
    })

    it('is asked of the server again where it seems wrong', async () => {
      const { now } = guardedOn(database())
      // The machine slept, or the clock of the server was wrong.
      database().serverTime?.note(clock.now() - 3 * HOUR)
      expect(now).toThrow(WrongClock)
      await vi.waitFor(now)
    })
  } else {
    it('is compared at the start with the last instant written', async () => {
      expect(await troubleOf()).toBeNull()
      await writtenAt(clock.now())
      expect(await troubleOf()).toBeNull()
      offMs = 30 * DAY
      expect(await troubleOf()).toBeNull()
      offMs = 32 * DAY
      expect(await troubleOf()).toMatch(/32\.0 days ahead of the last instant written to the database/)
      offMs = -HOUR
      expect(await troubleOf()).toMatch(/behind the last instant written to the database/)
    })

    it('is believed on the day on which a person has looked at it', async () => {
      await writtenAt(clock.now() + 400 * DAY)
      const today = (days: number) => new Date(clock.now() + days * DAY).toISOString().slice(0, 10)
      expect(await troubleOf(today(0))).toBeNull()
      expect(await troubleOf(today(-1))).toMatch(/400\.0 days behind/)
    })

    it('has not jumped where the machine slept', async () => {
      const { now, guard } = guardedOn(database())
      await guard?.compare()
      const uptime = os.uptime()
      vi.spyOn(os, 'uptime').mockImplementation(() => uptime + 8 * 3_600)
      offMs = 8 * HOUR
      expect(now()).toBeGreaterThan(0)
    })

    it('may be put right in small steps', async () => {
      const { now, guard } = guardedOn(database())
      await guard?.compare()
      for (let steps = 0; steps < 5; steps++) {
        offMs += 9 * MINUTE
        expect(now()).toBeGreaterThan(0)
      }
    })
  }
})
