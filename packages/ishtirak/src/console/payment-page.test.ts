// The page of a payment: what it says to which operator.

import { actOften, enterConsole } from '../../../../test/support/console.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import { permissionNamed } from '../../../../test/support/permissions.js'
import { bytesOf, wordsOf } from '../../../../test/support/portal.js'
import { setProfile } from '../../../../test/support/profile.js'
import { png } from '../../../../test/support/proof-files.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { TRANSFER_FILE } from '../../../../test/support/setting-files.js'
import { sql } from '../../../../test/support/sql.js'
import { orderTransfer, sendProof } from '../../../../test/support/transfers.js'
import { ROLES, rolesThatMay } from '../core/role.js'

const selectReadings = sql(
  `select actor, payment_id, after from audit where act = 'payment.read_proof' order by actor collate "C"`,
)

const PAYMENTS = '/api/v1/billing/payments'

describeWorld('the console', { env: { TRANSFER_FILE } }, ({ database, world }) => {
  it('shows a payment with what operators did, and no mail where none is sent', async () => {
    const { paymentId } = await world.as('<b>user-1</b>').buy()
    await operatorOf(world).post(`/payments/${paymentId}/recheck`, { why: '<script>x</script>' })
    const visit = await enterConsole(world, OPERATOR_KEY)
    const { text } = await visit.open(`/console/payments/${paymentId}`)
    const words = wordsOf(text)
    const parts = ['· Pro · 1 month · 2 000 DA paid', 'EDAHABIA', 'amina Provider asked']
    for (const part of [...parts, `Payment’s id ${paymentId}`]) expect(words).toContain(part)
    expect(text).not.toMatch(/<script|<b>user/)
    expect(bytesOf(text, world)).toBeLessThan(60_000)
    const reader = await enterConsole(world, OPERATOR_KEY, 'ar')
    const { text: arabic } = await reader.open(`/console/payments/${paymentId}`)
    expect(arabic).toContain('<dd><span>\u200f\u2068Pro\u2069 · \u2068شهر\u2069</span></dd>')
    await world.as('user-1').buy()
    await setProfile(world, '<b>user-1</b>', { name: 'سميرة طالب' })
    expect((await visit.open(`/console/payments/${paymentId}`)).text).toContain(
      '<h1><bdi>\u200e\u2068سميرة طالب\u2069 · Pro ·',
    )
    const owner = await enterConsole(world, ROLE_KEYS.owner)
    for (const path of [`/console/payments/${paymentId}`, '/console/users/user-1'])
      expect([path, (await owner.open(path)).text.includes('/resend-receipt"')]).toEqual([path, false])
  })

  it('says in words that there is no such page; no page runs, is framed or is stored', async () => {
    const visit = await enterConsole(world, OPERATOR_KEY)
    for (const path of ['/console/payments/none', '/console/none']) {
      const { status, text } = await visit.open(path)
      expect([path, status]).toEqual([path, 404])
      expect(wordsOf(text)).toContain('There is nothing at this address.')
    }
    const { headers } = await visit.open()
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; /)
    expect(policy).toContain("frame-ancestors 'none'; form-action 'self'")
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
  })

  it('links another payment that the same slip was sent for, there and in the inbox', async () => {
    const ask = async (userId: string, body: Buffer) => {
      const { id } = await orderTransfer(world, userId)
      await sendProof(world, userId, id, body)
      return id
    }
    const first = await ask('user-1', png())
    const came = { amount: 2000, received_at: '2026-11-21', payment_method: 'ccp', why: 'seen' }
    await operatorOf(world).post(`/payments/${first}/approve`, came)
    const [second, third] = [await ask('user-2', png()), await ask('user-3', png({ width: 9 }))]
    const visit = await enterConsole(world, OPERATOR_KEY)
    const { text } = await visit.open(`/console/payments/${second}`)
    expect(wordsOf(text)).toContain(
      'The same file was sent for another payment too: the money may have come only once. ' +
        `${first} · paid · user-1`,
    )
    expect(text).toContain(`href="${world.base}/console/payments/${first}"`)
    expect((await visit.open(`/console/payments/${third}`)).text).not.toContain('same file')
    const inbox = await visit.open('/console?kind=transfer_proof')
    expect(wordsOf(inbox.text)).toContain('Same file as for Pro · 1 month · 2 000 DA')
    expect(inbox.text.match(/href="[^"]*\/console\/payments\/[^"]*"/g)).toHaveLength(3)
    expect((await operatorOf(world).payment(second)).transfer.same_proofs).toEqual([
      { n: 1, user_id: 'user-1', payment_id: first, status: 'paid' },
    ])
    // The user reads nothing of others.
    const { body } = await world.as('user-2').get(`${PAYMENTS}/${second}`)
    expect(JSON.stringify(body)).not.toContain(first)
  })

  it('stays small however often a payment was looked at, and has what was done last', async () => {
    const { paymentId } = await world.as('user-1').buy()
    await actOften(database(), { userId: 'user-1', paymentId, act: 'payment.recheck', times: 500 })
    const visit = await enterConsole(world, OPERATOR_KEY)
    const { text } = await visit.open(`/console/payments/${paymentId}?done=act_00500`)
    expect(bytesOf(text, world)).toBeLessThan(60_000)
    expect(text).toContain('href="#act_00500"')
    expect(text).toContain('id="act_00476"')
    expect(text).not.toContain('id="act_00475"')
  })

  it('gives a proof as a file to the roles that may read it, and each reading is in the trail', async () => {
    const { id } = await orderTransfer(world, 'user-1')
    await sendProof(world, 'user-1', id)
    for (const role of ROLES) {
      const { cookie, open } = await enterConsole(world, ROLE_KEYS[role])
      const link = `/console/payments/${id}/proofs/1`
      const may = rolesThatMay(permissionNamed('payment.read_proof')).includes(role)
      expect([role, (await open(`/console/payments/${id}`)).text.includes(link)]).toEqual([role, may])
      const file = await fetch(`${world.url}${link}`, { headers: { cookie } })
      expect([role, file.status]).toEqual([role, may ? 200 : 403])
      if (!may) continue
      expect(file.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
      expect(Buffer.from(await file.arrayBuffer()).equals(png())).toBe(true)
      expect((await open(`/console/payments/${id}/proofs/2`)).status).toBe(404)
    }
    expect(await database().query(selectReadings)).toEqual(
      ['accountant', 'owner', 'support'].map((actor) => ({ actor, payment_id: id, after: { proof: 1 } })),
    )
  })

  it('leads from a refusal back to the payment or the user that it was about', async () => {
    const { paymentId } = await world.as('user-1').buy()
    const [payment, user] = [`/console/payments/${paymentId}`, '/console/users/user-1']
    for (const [role, path, status, about, words] of [
      ['viewer', `${payment}/refund`, 403, payment, 'Back to the payment'],
      ['viewer', `${user}/grant`, 403, user, 'Back to the user'],
      ['viewer', '/console/reconciliations/start', 403, '/console', 'Back to the inbox'],
      ['owner', '/console/payments/none/refund', 404, '/console', 'Back to the inbox'],
      ['owner', '/console/users/none', 404, '/console', 'Back to the inbox'],
    ] as const) {
      const answer = await (await enterConsole(world, ROLE_KEYS[role])).open(path)
      const [, href, label] = /<a class="button[^"]*" href="([^"]*)">([^<]*)</.exec(answer.text) ?? []
      expect([path, answer.status, href, label]).toEqual([path, status, `${world.base}${about}`, words])
    }
  })
})
