// Two services on one database act as one.
import { beforeAll, expect, it } from 'vitest'
import { CODE_ENV } from '../support/codes.js'
import { buildOnce, startService } from '../support/process.js'
import { tokenOf } from '../support/world.js'
import { call, serviceEnv } from './calls.js'

beforeAll(() => buildOnce())

it('they give a user ten wrong codes an hour together', async () => {
  const env = await serviceEnv(CODE_ENV)
  const both = await Promise.all([startService(env), startService(env)])
  const token = await tokenOf({ sub: 'user-1' })
  const guess = async (n: number): Promise<string> => {
    const code = `0000-0000-0000-00${String(n).padStart(2, '0')}`
    return (await call(both[n % 2] ?? both[0], token, '/billing/redeem', { code })).body.code
  }
  const codes = await Promise.all(Array.from({ length: 50 }, (_, n) => guess(n)))
  expect([await guess(50), await guess(51)]).toEqual(['too_many_wrong_codes', 'too_many_wrong_codes'])
  await Promise.all(both.map((service) => service.kill('SIGTERM')))
  const count = (code: string) => codes.filter((one) => one === code).length
  expect([count('code_not_valid'), count('too_many_wrong_codes')]).toEqual([10, 40])
})
