import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Example, expectProblem, startExample } from '../../../../test/support/example-app.js'

let example: Example
beforeAll(async () => {
  example = await startExample()
})
afterAll(() => example.close())

const read = async (path: string) => (await fetch(example.base + path)).json()

it('/healthz is alive, and /readyz says what is not ready', async () => {
  expect(await read('/healthz')).toEqual({ status: 'ok' })
  expect(await read('/readyz')).toEqual({ status: 'ready', checks: { database: 'ok' } })
  example.readiness = { ready: false, checks: { database: 'unreachable' } }
  const problem = await expectProblem(await fetch(`${example.base}/readyz`), 503, 'not_ready')
  expect(problem.checks).toEqual({ database: 'unreachable' })
})

it('the metrics count requests by route pattern and status, and are not on the public port', async () => {
  await fetch(`${example.base}/orders/12345`)
  await fetch(`${example.base}/nowhere/12345`)
  expect((await fetch(`${example.base}/metrics`)).status).toBe(404)
  const { text } = await example.metrics.render()
  expect(text).toMatch(/_seconds_count\{method="GET",route="\/orders\/:id",status="200"\} \d+/)
  expect(text).toContain('route="unknown",status="404"')
  expect(text).toContain('process_resident_memory_bytes')
  expect(text).not.toContain('12345')
})

it('/docs shows it, and /docs/errors has every code in three languages', async () => {
  const TYPES = { '/docs': 'html', '/docs/try-it.js': 'javascript', '/docs/swagger-ui.css': 'css' }
  for (const [path, type] of Object.entries(TYPES)) {
    const { status, headers } = await fetch(`${example.base}${path}`)
    expect([path, status, headers.get('content-type')]).toEqual([path, 200, `text/${type}; charset=utf-8`])
  }
  const page = await (await fetch(`${example.base}/docs/errors`)).text()
  expect(page).toContain('<section id="unknown_plan">')
  expect(page).toContain('<p lang="ar" dir="rtl"><strong>باقة غير معروفة</strong>')
})
