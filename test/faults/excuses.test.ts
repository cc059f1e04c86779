// Which failed requests a fault test reports.
import { expect, it } from 'vitest'
import { Excuses } from './excuses.js'

const began = () => performance.now()

it('reports what fails for a user whom nothing touches, in another way, or after all is whole again', () => {
  const excuses = new Excuses()
  const ask = (userId: string, outcome: number) =>
    excuses.hear({ userId, what: '/', outcome, text: '{"code":"busy"}', began: began() })
  const excused = excuses.begin({ name: 'a killed', touches: (userId) => userId === 'one', refusals: [503] })
  ask('one', 503)
  ask('one', 500)
  ask('two', 503)
  ask('two', 200)
  excused.until = began()
  ask('one', 503)
  expect(excuses.unexcused).toEqual([
    "1 × 500 busy for a user touched by 'a killed': /",
    '2 × 503 busy for a user whom nothing touches: /',
  ])
  expect([excused.failed, excuses.answered]).toEqual([1, 1])
})

it('excuses an answer to what was asked before all was whole again, and measures the wait', () => {
  const excuses = new Excuses()
  const excused = excuses.begin({ name: 'a killed', touches: () => true, refusals: [503] })
  const asked = { userId: 'one', what: '/', text: '', began: began() }
  excused.until = began() + 1
  excuses.hear({ ...asked, outcome: 503 })
  excuses.hear({ ...asked, outcome: 201, began: began() })
  expect(excuses.unexcused).toEqual([])
  expect(excused.longestMs).toBeGreaterThan(0)
})
