// Memory while files come: ten of 8 MiB at once, beside a service in use that has taken such files one after
// the other.
import { writeFileSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { buildOnce, startService } from '../support/process.js'
import { png } from '../support/proof-files.js'
import { TRANSFER_FILE } from '../support/transfer-file.js'
import { tokenOf } from '../support/world.js'
import { call, residentMb, serviceEnv } from './calls.js'

beforeAll(buildOnce)

const AT_ONCE = 10

it('ten files of 8 MiB at once take less than 40 MB more', async () => {
  const service = await startService(await serviceEnv({ RATE_LIMIT_PER_MINUTE: '100000', TRANSFER_FILE }))
  const send = async (userId: string, extra: number) => {
    const token = await tokenOf({ sub: userId })
    const order = { plan: 'pro', method: 'transfer' }
    const { id } = (await call(service, token, '/billing/payments', order)).body
    const authorization = `Bearer ${token}`
    const payments = `${service.url}/api/v1/billing/payments`
    const body = new Uint8Array(png({ extra }))
    const answer = await fetch(`${payments}/${id}/proof`, { method: 'PUT', headers: { authorization }, body })
    expect(answer.status).toBe(200)
    await answer.arrayBuffer()
  }
  const round = (extra: number) =>
    Promise.all(Array.from({ length: AT_ONCE }, (_, user) => send(`user-${user}`, extra)))
  // Statements are prepared, code is compiled, the young generation has its size, and the heap has met a
  // file.
  await round(1_000)
  const token = await tokenOf({ sub: 'user-0' })
  for (let wave = 0; wave < 100; wave++)
    await Promise.all(Array.from({ length: 20 }, () => call(service, token, '/billing/status')))
  for (const user of ['one', 'two', 'three']) await send(user, 8_388_000)
  const restMb = residentMb(service.pid, 'VmRSS')
  // The least of four looks: what a busy machine collects late adds to one.
  const looks: number[] = []
  for (let look = 0; look < 4; look++) {
    // proc(5): the most so far begins again at what is held now.
    writeFileSync(`/proc/${service.pid}/clear_refs`, '5')
    await round(8_388_000)
    looks.push(residentMb(service.pid, 'VmHWM'))
  }
  const mostMb = Math.min(...looks)
  await service.kill('SIGTERM')
  process.stdout.write(`uploads: ${restMb.toFixed(1)} MB at rest, ${mostMb.toFixed(1)} MB at most\n`)
  expect(mostMb - restMb).toBeLessThan(40)
})
