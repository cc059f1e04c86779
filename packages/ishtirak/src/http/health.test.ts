// What machines ask the service: alive, ready, figures, documentation.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Example, expectProblem, startExample } from '../../../../test/support/example-app.js'

let example: Example
beforeAll(async () => {
  example = await startExample()
})
afterAll(() => example.close())

describe('what machines ask', () => {
  it('/healthz is alive', async () => {
    expect(await (await fetch(`${example.base}/healthz`)).json()).toEqual({ status: 'ok' })
  })

  it('/readyz says what is not ready', async () => {
    expect(await (await fetch(`${example.base}/readyz`)).json()).toEqual({
      status: 'ready',
      checks: { database: 'ok' },
    })
    example.readiness = { ready: false, checks: { database: 'unreachable' } }
    const problem = await expectProblem(await fetch(`${example.base}/readyz`), 503, 'not_ready')
    expect(problem.checks).toEqual({ database: 'unreachable' })
  })

  it('the metrics count requests by route pattern and status, and are not on the public port', async () => {
    await fetch(`${example.base}/orders/12345`)
    await fetch(`${example.base}/nowhere/12345`)
    expect((await fetch(`${example.base}/metrics`)).status).toBe(404)
    const { text } = await example.metrics.render()
    expect(text).toMatch(
      /http_request_duration_seconds_count\{method="GET",route="\/orders\/:id",status="200"\} \d+/,
    )
    expect(text).toContain('route="unknown",status="404"')
    expect(text).toContain('process_resident_memory_bytes')
    expect(text).not.toContain('12345')
  })

  it('/openapi.json is OpenAPI 3.1 and holds the routes with their problems', async () => {
    const document = await (await fetch(`${example.base}/openapi.json`)).json()
    expect(document.openapi).toBe('3.1.0')
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/orders', '/orders/{id}', '/healthz']),
    )
    expect(
      document.paths['/orders'].post.responses['422'].content['application/problem+json'].schema,
    ).toEqual({
      $ref: '#/components/schemas/Problem',
    })
    expect(document.components.schemas.Problem.required).toContain('request_id')
  })

  it('/docs shows it, and /docs/errors has every code in three languages', async () => {
    for (const [path, type] of [
      ['/docs', 'text/html'],
      ['/docs/try-it.js', 'text/javascript'],
      ['/docs/try-it.css', 'text/css'],
      ['/docs/swagger-ui.css', 'text/css'],
      ['/docs/swagger-ui-bundle.js', 'text/javascript'],
    ] as const) {
      const { status, headers } = await fetch(`${example.base}${path}`)
      expect([path, status, headers.get('content-type')]).toEqual([path, 200, `${type}; charset=utf-8`])
    }
    const page = await (await fetch(`${example.base}/docs/errors`)).text()
    expect(page).toContain('<section id="unknown_plan">')
    expect(page).toContain('<p lang="ar" dir="rtl"><strong>باقة غير معروفة</strong>')
  })
})
