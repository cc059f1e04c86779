// Progress on a terminal and in a file, second by second.
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { progressInWords, type Screen, showProgress } from './progress.js'

let written: string
let screen: Screen
const open = (isTTY: boolean) => {
  written = ''
  const stream = new PassThrough().on('data', (chunk) => {
    written += chunk
  })
  const erase = () => {
    written = written.slice(0, written.lastIndexOf('\n') + 1)
    return true
  }
  const cursor = { cursorTo: () => true, moveCursor: () => true, clearLine: erase }
  screen = Object.assign(stream, { isTTY, columns: 120, ...cursor }) as unknown as Screen
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
/** Without colours and the marks of the cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a terminal gets
const plain = () => written.replace(/\u001b\[[?\d;]*[a-zA-Z]/g, '')

it('says what is done of all, the rate and the time left', () => {
  const of = (step: Partial<Parameters<typeof progressInWords>[0]>) =>
    progressInWords({ unit: 'rows', done: 1_200, all: 4_800, ms: 2_000, ...step })
  expect(of({})).toBe('1,200 of 4,800 rows (25 %), 600 a second, 6 s left')
  expect(of({ done: 4_800 })).toBe('4,800 of 4,800 rows (100 %), 2,400 a second, 0 s left')
  expect(of({ done: 1, all: 1_000 })).toBe('1 of 1,000 rows (0 %), 2 s each, 34 min left')
  expect(of({ done: 1, all: 50_000 })).toBe('1 of 50,000 rows (0 %), 2 s each, 27.8 h left')
  expect(of({ all: undefined })).toBe('1,200 rows, 600 a second')
  expect([of({ done: 0 }), of({ done: 0, all: undefined })]).toEqual(['0 of 4,800 rows', 'no rows yet'])
  expect(of({ unit: 'MB', done: 3_000_000, all: 12_000_000 })).toBe(
    '3 of 12 MB (25 %), 1.5 a second, 6 s left',
  )
})

it('is one line of a terminal that goes when it is done, and is not there for less than a second', () => {
  open(true)
  const quick = showProgress('rows', screen)
  quick.at(5, 10)
  vi.advanceTimersByTime(999)
  quick.end()
  expect(written).toBe('')
  const slow = showProgress('rows', screen)
  vi.advanceTimersByTime(2_000)
  slow.at(100, 400)
  vi.advanceTimersByTime(200)
  expect(plain()).toMatch(/^. 100 of 400 rows \(25 %\), \d+ a second, \d+ s left$/)
  slow.at(200, 400)
  vi.advanceTimersByTime(200)
  expect(plain()).toMatch(/^. 200 of 400 rows \(50 %\)/)
  slow.end()
  expect(plain()).toBe('')
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
