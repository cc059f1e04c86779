// Pictures and PDFs of transfers: uploaded by users, read by operators, kept as long as they are needed.
import { databaseWith } from '../../../../test/support/database-with.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import { PLATFORM_KEY } from '../../../../test/support/platform.js'
import { jpeg, pdf, png } from '../../../../test/support/proof-files.js'
import { TRANSFER_FILE } from '../../../../test/support/setting-files.js'
import { sql } from '../../../../test/support/sql.js'
import { orderTransfer } from '../../../../test/support/transfers.js'
import { type Answer, tokenOf } from '../../../../test/support/world.js'
import { writtenEvents } from '../../../../test/support/written-events.js'
import { createClient } from '../../../client/src/index.js'
import type { Database } from '../database/database.js'
import { uploadProof } from './proof.js'

const PAYMENTS = '/api/v1/billing/payments'
const DAY = 86_400
const selectParts = sql('select count(*)::int as count from transfer_proof_parts')
const selectMails = sql('select kind from mails order by kind')
const selectReadings = sql(`select actor, payment_id, after from audit where act = 'payment.read_proof'`)

const ENV = { TRANSFER_FILE, PROOF_DAYS: '90' }

describeWorld('a proof of a transfer', { env: ENV }, ({ world, database }) => {
  const [user, other] = ['user-1', 'other-1']
  const operator = operatorOf(world)

  const ask = async (userId = user): Promise<string> => (await orderTransfer(world, userId)).id
  const upload = async (id: string, body: Uint8Array | string, userId = user, type = 'image/jpeg') => {
    const headers = { authorization: `Bearer ${await tokenOf({ sub: userId })}`, 'content-type': type }
    return world.call('PUT', `${PAYMENTS}/${id}/proof`, { body, headers })
  }
  const codeOf = ({ status, body }: Answer) => [status, body.code]
  const download = (id: string, n: number) =>
    fetch(`${world.url}/api/v1/operator/payments/${id}/proofs/${n}`, {
      headers: { authorization: `Bearer ${OPERATOR_KEY}` },
    })
  const parts = async () => (await database().query(selectParts))[0]?.count
  const approve = (id: string) => {
    const received_at = new Date(world.clock.now()).toISOString().slice(0, 10)
    const came = { amount: 2000, received_at, payment_method: 'ccp', why: 'seen' }
    return operator.post(`/payments/${id}/approve`, came)
  }

  it('is stored as it came, by what it is, told, and read back by an operator alone', async () => {
    const id = await ask()
    const asked = (await world.as(user).get(`${PAYMENTS}/${id}`)).body
    expect(asked.transfer.proof_url).toBe(`${world.config.publicUrl}${PAYMENTS}/${id}/proof`)
    const file = png({ extra: 100_000 })
    const client = createClient({ url: world.url, apiKey: PLATFORM_KEY, whenUnreachable: 'closed' })
    const uploaded_at = '2026-11-21T12:00:00Z'
    const stored = { n: 1, type: 'image/png', bytes: file.length, uploaded_at, erased_at: null }
    expect((await upload(id, file)).body).toEqual(stored)
    // The same file again is the same one, also as a blob.
    expect(await client.uploadProof(user, id, new Blob([new Uint8Array(file)]))).toEqual(stored)
    await world.advance(60)
    expect(await client.uploadProof(user, id, new Uint8Array(pdf()))).toMatchObject({
      n: 2,
      type: 'application/pdf',
    })
    expect((await download(id, 3)).status).toBe(404)
    const read = await download(id, 1)
    expect(Object.fromEntries(read.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': `attachment; filename="${id}-1.png"`,
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    expect(Buffer.from(await read.arrayBuffer()).equals(file)).toBe(true)
    // The first proof counts, not the last.
    expect((await operator.payment(id)).transfer).toMatchObject({
      proof_at: '2026-11-21T12:00:00Z',
      proofs: [{ n: 1, type: 'image/png' }, { n: 2 }],
    })
    expect(await database().query(selectReadings)).toEqual([
      { actor: 'amina', payment_id: id, after: { proof: 1 } },
    ])
    const asUser = await world.as(user).get(`/api/v1/operator/payments/${id}/proofs/1`)
    expect(codeOf(asUser)).toEqual([401, 'invalid_operator_key'])
    // The platform is told of each file, and the user of the first.
    const types = ['payment.requested', ...Array(2).fill('payment.proof_received')]
    const told = await writtenEvents(database())
    expect(told.map(({ type, data }) => [type, data.payment?.id])).toEqual(types.map((type) => [type, id]))
    expect((await database().query(selectMails)).map(({ kind }) => kind)).toEqual([
      'payment_requested',
      'proof_received',
    ])
  })

  it('ends where the picture ends', async () => {
    const id = await ask()
    const file = jpeg()
    const answer = await upload(id, Buffer.concat([file, Buffer.from('<html><script>')]))
    expect(answer.body.bytes).toBe(file.length)
    expect(Buffer.from(await (await download(id, 1)).arrayBuffer()).equals(file)).toBe(true)
  })

  it('comes three times at most; the same file, also sent at once, is the same one', async () => {
    const id = await ask()
    const twins = await Promise.all(Array.from({ length: 3 }, () => upload(id, png())))
    expect(twins.map(({ body }) => body.n)).toEqual([1, 1, 1])
    const files = [1, 2, 3].map((extra) => png({ extra }))
    const rest = await Promise.all(files.map((file) => upload(id, file)))
    expect(rest.map(({ status }) => status).sort()).toEqual([200, 200, 409])
    expect(codeOf(await upload(id, png({ extra: 9 })))).toEqual([409, 'too_many_proofs'])
    expect((await upload(id, png())).body.n).toBe(1)
    expect((await operator.payment(id)).transfer.proofs.map(({ n }: { n: number }) => n)).toEqual([1, 2, 3])
  })

  it('is kept up to its end: what a phone writes behind it makes no other file of it', async () => {
    const id = await ask()
    const { body } = await upload(id, Buffer.concat([png(), Buffer.from('trailer')]))
    expect(body.bytes).toBe(png().length)
    expect((await upload(id, png())).body.n).toBe(body.n)
  })

  describe('that another act overtakes', () => {
    /** Uploads; `between` happens when the proof is decided and not saved yet. */
    const uploadAround = (id: string, between: () => Promise<unknown>) => {
      const { parts } = world.service
      let isFirst = true
      const transaction: Database['transaction'] = async (work) => {
        const is = isFirst
        isFirst = false
        if (is) await between()
        return database().transaction(work)
      }
      const deps = { ...parts, database: databaseWith(database, { transaction }) }
      return uploadProof(deps, { userId: user, paymentId: id }, png())
    }

    it('is the second where that is another proof', async () => {
      const id = await ask()
      expect(await uploadAround(id, () => upload(id, jpeg()))).toMatchObject({ n: 2 })
      expect((await operator.payment(id)).transfer.proofs).toHaveLength(2)
    })

    it('is refused where that is the decision', async () => {
      const id = await ask()
      await expect(uploadAround(id, () => approve(id))).rejects.toMatchObject({ code: 'conflict' })
      expect((await operator.payment(id)).transfer.proofs).toEqual([])
    })
  })

  it('is tried ten times an hour at most, whatever is sent', async () => {
    const id = await ask()
    const refused = await upload(id, '<script>alert(1)</script>')
    expect([...codeOf(refused), refused.body.reason]).toEqual([422, 'file_not_accepted', 'not_recognized'])
    expect(await parts()).toBe(0)
    for (let tries = 1; tries < 10; tries++) expect((await upload(id, 'x')).status).toBe(422)
    const answer = await upload(id, png())
    expect(codeOf(answer)).toEqual([429, 'rate_limited'])
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(3_000)
    await ask(other)
    await world.advance(3_600)
    expect((await upload(id, png())).status).toBe(200)
  })

  it('is for a transfer of one’s own that is not decided, also when it has expired', async () => {
    const id = await ask()
    expect(codeOf(await upload(id, png(), other))).toEqual([404, 'not_found'])
    expect(codeOf(await upload('pay_nope', png()))).toEqual([404, 'not_found'])
    const { paymentId } = await world.as(other).upgrade()
    expect(codeOf(await upload(paymentId, png(), other))).toEqual([409, 'conflict'])
    await world.advance(8 * DAY)
    expect((await world.as(user).get(`${PAYMENTS}/${id}`)).body.status).toBe('expired')
    expect((await upload(id, png())).status).toBe(200)
    await approve(id)
    const late = await upload(id, png({ extra: 5 }))
    expect([...codeOf(late), late.body.transfer_state]).toEqual([409, 'conflict', 'approved'])
    expect((await world.as(user).get(`${PAYMENTS}/${id}`)).body.transfer.proof_url).toBeNull()
  })

  it('is erased 90 days after the decision, or after the end if that is later or there is none', async () => {
    const all = [user, other, 'refused', 'late'] as const
    const [decided, open, refused, late] = await Promise.all(all.map((userId) => ask(userId)))
    if (!decided || !open || !refused || !late) throw new Error('four were asked for')
    await upload(decided, png())
    await upload(open, png(), other)
    await upload(refused, png(), 'refused')
    await operator.post(`/payments/${refused}/refuse`, { why: 'nothing came' })
    await world.advance(5 * DAY)
    await approve(decided)
    await world.advance(85 * DAY)
    expect(await parts()).toBe(3)
    await world.advance(1)
    expect(await parts()).toBe(2)
    await upload(late, png(), 'late')
    await world.advance(5 * DAY)
    expect(await parts()).toBe(2)
    expect((await download(decided, 1)).status).toBe(404)
    expect((await operator.payment(decided)).transfer.proofs).toMatchObject([
      { n: 1, erased_at: '2027-02-24T12:00:01Z' },
    ])
    await world.advance(2 * DAY)
    expect(await parts()).toBe(1)
    expect((await download(late, 1)).status).toBe(200)
    await world.advance(83 * DAY - 1)
    expect(await parts()).toBe(1)
    await world.advance(2)
    expect(await parts()).toBe(0)
  })
})
