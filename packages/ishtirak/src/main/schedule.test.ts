import { describeScenario } from '../../../../test/support/databases.js'
import { createWorld } from '../../../../test/support/world.js'
import { DAY, HOUR, MINUTE } from '../core/instant.js'
import { isConsoleKey } from '../i18n/messages.js'
import { createLog } from '../runtime/log.js'
import { createRunner, schedule } from './schedule.js'

it('a start that ends after the stop leaves no timer: none would ever be cleared', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const job = { name: 'count', stage: 'tidy', everyMs: 1_000, run: async () => 1 } as const
  const runner = createRunner([job], createLog({ level: 'fatal' }))
  runner.start()
  expect(vi.getTimerCount()).toBe(1)
  await runner.stop()
  runner.start()
  expect(vi.getTimerCount()).toBe(0)
})

it('tries a daily job soon after a start: its lease says whether it is due', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const run = vi.fn(async () => 0)
  const job = { name: 'count', stage: 'tidy', everyMs: DAY, run } as const
  const runner = createRunner([{ ...job, oncePerCluster: true }], createLog({ level: 'fatal' }))
  runner.start()
  await vi.advanceTimersByTimeAsync(5 * MINUTE)
  expect(run).toHaveBeenCalledOnce()
  await runner.stop()
})

it('during a pause no round begins, and the one under way ends before it', async () => {
  const rounds: string[] = []
  const [begun, finished] = [signal(), signal()]
  const run = async () => {
    rounds.push('begun')
    begun.give()
    await finished.given
    rounds.push('ended')
    return 1
  }
  const job = { name: 'count', stage: 'tidy', everyMs: 1_000, run } as const
  const runner = createRunner([job], createLog({ level: 'fatal' }))
  const first = runner.runAll()
  await begun.given
  const paused = runner.pause()
  finished.give()
  const goOn = await paused
  expect(rounds).toEqual(['begun', 'ended'])
  await first
  await runner.runAll()
  expect(rounds).toEqual(['begun', 'ended'])
  goOn()
  await runner.runAll()
  expect(rounds).toHaveLength(4)
})

describeScenario('the jobs', ({ database }) => {
  it('have words for operators', async () => {
    await using world = await createWorld(database())
    const names = world.service.parts.rounds.list().map(({ name }) => name)
    expect(names).toContain('check-due-payments')
    expect(names.filter((name) => !isConsoleKey(`job_${name}`))).toEqual([])
  })

  it('of a day have a round each day, however often they are tried', async () => {
    let now = Date.parse('2026-11-21T12:00:00Z')
    const daily = { name: 'count', stage: 'tidy', everyMs: DAY, run: async () => 1 } as const
    const jobs = () => [{ ...daily, oncePerCluster: true } as const]
    const [job] = schedule([{ name: 'counting', jobs }], { database: database(), clock: { now: () => now } })
    const rounds = []
    for (const passed of [0, 5 * MINUTE, 23 * HOUR, HOUR]) {
      now += passed
      rounds.push(await job?.run(() => true))
    }
    expect(rounds).toEqual([1, 0, 0, 1])
  })
})

function signal() {
  let give = () => {}
  const given = new Promise<void>((resolve) => {
    give = resolve
  })
  return { given, give }
}
