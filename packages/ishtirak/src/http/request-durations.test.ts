// Counted our way, written as the library writes it.
import { Histogram, Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { RequestDurations } from './request-durations.js'

const ABOUT = { name: 'took_seconds', help: 'How long it took' }
const BOUNDS = [0.001, 0.0025, 1]
const ANSWERS = [
  { method: 'GET', route: '/plans', status: 200 },
  { method: 'GET', route: '/plans', status: 429 },
  { method: 'POST', route: '/plans', status: 200 },
  { method: 'GET', route: '/a/"quoted"/:id', status: 200 },
]

it('writes what the library’s own histogram writes of the same answers', async () => {
  const [ours, theirs] = [new Registry(), new Registry()]
  const durations = new RequestDurations(ABOUT, BOUNDS)
  ours.registerMetric(durations)
  const histogram = new Histogram({
    ...ABOUT,
    labelNames: ['method', 'route', 'status'],
    buckets: BOUNDS,
    registers: [theirs],
  })
  // On a bound, between two, beyond the last; sums that a double holds exactly.
  for (const seconds of [0.001, 0.002, 0.5, 1, 2, 0.5]) {
    for (const answer of ANSWERS) {
      durations.count(answer, seconds)
      histogram.observe(answer, seconds)
    }
  }
  const lines = (text: string) => text.split('\n').toSorted()
  const written = await ours.metrics()
  expect(lines(written)).toEqual(lines(await theirs.metrics()))
  expect(written).toContain('took_seconds_bucket{le="0.0025",method="GET",route="/plans",status="200"} 2')
})
