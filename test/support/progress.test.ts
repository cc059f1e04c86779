// Progress, second by second.
import { PassThrough } from 'node:stream'
import { type Progress, withProgress } from './progress.js'

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubEnv('CI', undefined)
  vi.stubEnv('TERM', 'xterm')
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

async function shown(isTTY: boolean, unit: string, work: (progress: Progress) => void): Promise<string> {
  const stream = new PassThrough()
  const screen = Object.assign(stream, { isTTY }) as unknown as NodeJS.WriteStream
  await withProgress(unit, async (progress) => work(progress), screen)
  vi.advanceTimersByTime(60_000)
  return String(stream.read() ?? '')
}

it('is a plain line every ten seconds in a file, on a plain terminal and in a build', async () => {
  for (const [isTTY, env] of [
    [false, {}],
    [true, { TERM: 'dumb' }],
    [true, { CI: 'true' }],
  ] as const) {
    for (const [name, value] of Object.entries({ CI: undefined, TERM: 'xterm', ...env }))
      vi.stubEnv(name, value)
    const text = await shown(isTTY, 'rows', ({ at }) => {
      at(1_000, 4_000)
      vi.advanceTimersByTime(19_900)
      at(3_000, 4_000)
      vi.advanceTimersByTime(100)
    })
    expect(text).toBe('1,000 of 4,000 rows (25 %), 30 s left\n3,000 of 4,000 rows (75 %), 7 s left\n')
  }
})

it('is one line on a terminal, written again each second and gone at the end', async () => {
  const text = await shown(true, 'rows', ({ at }) => {
    vi.advanceTimersByTime(1_000)
    at(0, 12_000)
    vi.advanceTimersByTime(1_000)
    at(50, 12_000)
    vi.advanceTimersByTime(1_000)
    at(3_000, 12_000)
    vi.advanceTimersByTime(1_000)
  })
  expect(text.split('\r')).toEqual([
    '',
    '0 rows\x1b[K',
    '0 of 12,000 rows (0 %)\x1b[K',
    '50 of 12,000 rows (0 %), 12 min left\x1b[K',
    '3,000 of 12,000 rows (25 %), 12 s left\x1b[K',
    '\x1b[K',
  ])
})

it('says nothing of what takes less than a second', async () => {
  expect(await shown(false, 'rows', ({ at }) => at(1, 2))).toBe('')
})
