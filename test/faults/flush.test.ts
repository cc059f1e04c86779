// How flushes are counted in the output of strace; `npm run nightly -- fault:flush` uses a real trace.
import { expect, it } from 'vitest'
import { flushesByPhase } from './flushes.js'

it('counts successful flushes between the phases, and a call that was interrupted in the trace once', () => {
  const trace = [
    '10 fdatasync(21)                     = 0',
    '10 write(1, "phase commits\\n", 14)   = 14',
    '10 fdatasync(21 <unfinished ...>',
    '11 write(9, "other", 5)              = 5',
    '10 <... fdatasync resumed>)          = 0',
    '10 fsync(22)                         = -1 EIO (Input/output error)',
    '10 write(1, "phase reads\\n", 12)     = 12',
  ]
  expect(flushesByPhase(trace.join('\n'))).toEqual({ start: 1, commits: 1 })
})
