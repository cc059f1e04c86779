// Whatever hangs behind us, a request that is wholly here gets its answer within 6 s. The tests wait for real time, side by side.
import { once } from 'node:events'
import { request } from 'node:http'
import { setTimeout as elapse } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Example, expectProblem, startExample } from '../../../../test/support/example-app.js'

let example: Example
beforeAll(async () => {
  example = await startExample()
})
afterAll(() => example.close())

it.concurrent('a request whose work hangs is answered 503 within 6 s, and may be repeated', async () => {
  const askedAt = performance.now()
  const response = await fetch(`${example.base}/hanging`)
  await expectProblem(response, 503, 'took_too_long')
  expect(response.headers.get('retry-after')).toBe('5')
  expect(performance.now() - askedAt).toBeLessThan(6_000)
})

it.concurrent('an answer that has begun is not cut off', async () => {
  expect(await (await fetch(`${example.base}/begun`)).text()).toBe('begun ended')
})

it.concurrent('the time in which the caller sends the body does not count', async () => {
  const call = request(`${example.base}/hanging`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': 2 },
  })
  call.write('{')
  await elapse(3_000)
  const sentAt = performance.now()
  call.end('}')
  const [response] = await once(call, 'response')
  response.resume()
  const waited = performance.now() - sentAt
  expect([response.statusCode, waited > 4_500, waited < 6_000]).toEqual([503, true, true])
})
