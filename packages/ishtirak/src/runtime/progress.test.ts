// Progress in a file, second by second. On a terminal: test/process/progress.nightly.test.ts.
import { PassThrough } from 'node:stream'
import { progressInWords, type Screen, showProgress } from './progress.js'

let written: string
let screen: Screen
const open = (isTTY: boolean) => {
  written = ''
  const stream = new PassThrough().on('data', (chunk) => {
    written += chunk
  })
  screen = Object.assign(stream, { isTTY, columns: 120 }) as unknown as Screen
}
beforeEach(() => {
  vi.useFakeTimers()
  vi.stubEnv('CI', undefined)
  vi.stubEnv('TERM', 'xterm')
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})
it('says what is done of all, the rate and the time left', () => {
  const said = [
    [{}, '1,200 of 4,800 rows (25 %), 600 a second, 6 s left'],
    [{ done: 1, all: 1_000 }, '1 of 1,000 rows (0 %), 2 s each, 34 min left'],
    [{ done: 1, all: 50_000 }, '1 of 50,000 rows (0 %), 2 s each, 27.8 h left'],
    [{ all: undefined }, '1,200 rows, 600 a second'],
    [{ done: 0 }, '0 of 4,800 rows'],
    [{ done: 0, all: undefined }, 'no rows yet'],
    [{ unit: 'MB', done: 3_000_000, all: 12_000_000 }, '3 of 12 MB (25 %), 1.5 a second, 6 s left'],
  ] as const
  const usual = { unit: 'rows', done: 1_200, all: 4_800, ms: 2_000 } as const
  expect(said.map(([step]) => [step, progressInWords({ ...usual, ...step })])).toEqual(said)
})

it('is a plain line every ten seconds in a file, on a plain terminal and in a build', () => {
  for (const [isTTY, env] of [
    [false, {}],
    [true, { TERM: 'dumb' }],
    [true, { CI: 'true' }],
  ] as const) {
    for (const [name, value] of Object.entries({ CI: undefined, TERM: 'xterm', ...env }))
      vi.stubEnv(name, value)
    open(isTTY)
    const progress = showProgress('rows', screen)
    progress.at(100, 400)
    vi.advanceTimersByTime(9_900)
    expect(written).toBe('')
    vi.advanceTimersByTime(100)
    progress.at(300, 400)
    vi.advanceTimersByTime(10_000)
    progress.end()
    vi.advanceTimersByTime(60_000)
    expect(written.split('\n')).toEqual([
      '100 of 400 rows (25 %), 10 a second, 30 s left',
      '300 of 400 rows (75 %), 15 a second, 7 s left',
      '',
    ])
  }
})
