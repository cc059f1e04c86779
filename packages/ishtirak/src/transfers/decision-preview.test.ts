// What approving or refusing a transfer would change, asked beforehand over HTTP.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { type OperatorCaller, operatorOf } from '../../../../test/support/operator.js'
import { ROLE_KEYS, ROLES_ENV } from '../../../../test/support/roles.js'
import { createWorld, type World } from '../../../../test/support/world.js'

const folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-decision-'))
afterAll(() => rmSync(folder, { recursive: true }))
const TRANSFER_FILE = path.join(folder, 'transfer.json')
const accounts = [{ kind: 'ccp', holder: 'Atlas', number: '0023456789', key: '88' }]
writeFileSync(TRANSFER_FILE, JSON.stringify({ accounts, second_approval_from: 2_500 }))

describeScenario('a decision on a transfer, looked at beforehand', ({ database }) => {
  let world: World
  let owner: OperatorCaller
  let paymentId: string
  beforeEach(async () => {
    world = await createWorld(database(), { env: { ...ROLES_ENV, TRANSFER_FILE } })
    owner = operatorOf(world, ROLE_KEYS.owner)
    const asked = { plan: 'pro', method: 'transfer' }
    paymentId = (await world.as('user-1').post('/api/v1/billing/payments', asked)).body.id
  })
  afterEach(() => world.stop())

  const preview = (act: string, query = '') => owner.get(`/payments/${paymentId}/${act}${query}`)
  const came = (amount: number) => `?amount=${amount}&received_at=2026-11-21`
  const free = { plan: 'free', status: 'active', current_period_end: null }

  it('says what an approval would book, and how many approve', async () => {
    const { body } = await preview('approve', came(2000))
    expect(body).toEqual({
      payment_id: paymentId,
      user_id: 'user-1',
      payment_status: { before: 'pending', after: 'paid' },
      before: free,
      after: { plan: 'pro', status: 'active', current_period_end: '2026-12-21T12:00:00Z' },
      receipt: { ht: 1680.67, tva: 319.33, ttc: 2000, amount_asked: null, stamp_duty: 0, total: 2000 },
      approvals: { needed: 1, before: 0, after: 1 },
    })
    const of = async (amount: number) => {
      const { payment_status, approvals } = (await preview('approve', came(amount))).body
      return [payment_status.after, approvals.needed]
    }
    expect(await of(1500)).toEqual(['review', 1])
    expect(await of(2500)).toEqual(['pending', 2])
    expect((await owner.payment(paymentId)).audit).toEqual([])
  })

  it('says what a refusal would end', async () => {
    const { body } = await preview('refuse')
    expect(body).toMatchObject({ payment_status: { before: 'pending', after: 'canceled' }, after: free })
    expect(body.approvals).toBeNull()
    expect((await owner.payment(paymentId)).payment.status).toBe('pending')
  })

  it('refuses what the act would refuse', async () => {
    const code = async (act: string, query = '') => {
      const { status, body } = await preview(act, query)
      return [status, body.code]
    }
    expect(await code('approve', came(0))).toEqual([422, 'validation_failed'])
    expect(await code('approve', '?amount=2000&received_at=2026-09-01')).toEqual([422, 'validation_failed'])
    const said = { amount: 2500, received_at: '2026-11-21', why: 'x' }
    await owner.post(`/payments/${paymentId}/approve`, said)
    expect(await code('approve', came(2500))).toEqual([409, 'second_operator_needed'])
    await owner.post(`/payments/${paymentId}/refuse`, { why: 'x' })
    expect(await code('refuse')).toEqual([409, 'conflict'])
  })
})
