// Acts on a payment in the console: shown beforehand, done once, told afterwards; and only what the role may.

import { PAYMENT_VERBS } from '../../../../test/support/acts.js'
import { transferFile } from '../../../../test/support/config-files.js'
import { type ConsoleVisit, enterConsole, fieldsOfAct } from '../../../../test/support/console.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { payOtherwise, payUnderReview } from '../../../../test/support/other-amount.js'
import { wordsOf } from '../../../../test/support/portal.js'
import { setProfile } from '../../../../test/support/profile.js'
import { COMPANY } from '../../../../test/support/receipt.js'
import { ROLE_KEYS, ROLES_ENV } from '../../../../test/support/roles.js'
import { sql } from '../../../../test/support/sql.js'
import { orderTransfer, sendBankStatement, sendProof } from '../../../../test/support/transfers.js'
import { setBuyer } from '../buyers/set-buyer.js'

// What is remembered of the mail that was sent long ago.
const forgetMail = sql('delete from mails where user_id = $1')
const setSecondOf = sql('update payments set second_of = $2 where id = $1')

const BARIDIMOB = { kind: 'baridimob', holder: 'Atlas', number: '00799999002345678941' }
const CCP = { kind: 'ccp', holder: 'Atlas', number: '0023456789', key: '88' }
const SECOND_KEY = 'key-of-a-second-owner-of-the-tests'
const ENV = {
  OPERATOR_KEYS: `${ROLES_ENV.OPERATOR_KEYS},second:${SECOND_KEY}`,
  TRANSFER_FILE: transferFile({ accounts: [CCP, BARIDIMOB], second_approval_from: 2_000 }),
  // No job runs, so nothing is sent.
  SMTP_URL: 'smtp://127.0.0.1:9',
}

describeWorld('an act in the console', { env: ENV }, ({ database, world }) => {
  let visit: ConsoleVisit
  beforeEach(async () => {
    visit = await enterConsole(world, ROLE_KEYS.owner)
  })

  const ask = (paymentId: string, act: string) => visit.ask(`/console/payments/${paymentId}/${act}`)

  const audit = async (paymentId: string) =>
    (await operatorOf(world, ROLE_KEYS.owner).payment(paymentId)).audit

  const actsOn = async (paymentId: string) => (await audit(paymentId)).map(({ act }: { act: string }) => act)

  /** Three times at once, and once more: all lead to the one act. */
  async function sendOften(path: string, fields: Record<string, string>) {
    const send = () => visit.submit(path, fields)
    const first = await Promise.all([send(), send(), send()])
    const answer = await send()
    const targets = new Set([...first, answer].map(({ headers }) => headers.get('location')))
    expect([...targets]).toEqual([expect.stringMatching(/\?done=act_/)])
    return answer
  }

  it('records a refund once, with a reason and its own form, after showing what it ends', async () => {
    const { paymentId } = await world.as('user-1').buy()
    const { path, words, fields } = await ask(paymentId, 'refund')
    for (const part of ['2 000 DA', 'Status paid refunded', 'Access pro until 21 December 2026', 'Free'])
      expect(words.toLowerCase()).toContain(part.toLowerCase())
    expect((await visit.open(path)).text).toMatch(/<th scope="row" data-label="What">.*?Status/)
    for (const why of [' ', '\u200b\u2060', 'a\nb', '"><b>'.repeat(200)]) {
      const again = await visit.submit(path, { ...fields, why })
      expect(again.status).toBe(422)
      expect(again.text).toContain('aria-invalid="true" aria-describedby="wrong-why"')
      const kept = { version: fields.version, operation_id: expect.any(String) }
      expect(fieldsOfAct(again.text)).toMatchObject(kept)
      expect(again.text).not.toContain('"><b>')
    }
    expect((await visit.submit(path, { ...fields, why: 'x', form_token: 'x' })).status).toBe(403)
    expect(await audit(paymentId)).toEqual([])
    const answer = await sendOften(path, { ...fields, why: 'paid by mistake' })
    expect(await visit.follow(answer)).toMatch(/ refunded Done Refund recorded, by owner\./)
    expect(await audit(paymentId)).toMatchObject([
      { actor: 'owner', act: 'payment.refund', why: 'paid by mistake' },
    ])
  })

  it('accepts a payment under review once, after asking the provider, and as it was shown', async () => {
    const [paymentId, changed] = [
      await payUnderReview(world, 'user-1'),
      await payUnderReview(world, 'user-2'),
    ]
    const { path, words, fields } = await ask(paymentId, 'accept')
    expect(words).toContain('What differs Amount: 2 000 DA here, 50 DA at the provider')
    expect(words).toContain('The provider says paid Amount reported 2 000 DA')
    expect(words).toMatch(/Status under review paid Access Free Pro until 21 December 2026/i)
    const answer = await sendOften(path, { ...fields, why: 'the list says 2000' })
    expect(await visit.follow(answer)).toContain('Done Payment accepted, by owner.')
    expect(await audit(paymentId)).toHaveLength(1)

    const shown = await ask(changed, 'accept')
    await operatorOf(world, ROLE_KEYS.support).post(`/payments/${changed}/recheck`)
    const late = await visit.submit(shown.path, { ...shown.fields, why: 'x' })
    expect(await visit.follow(late)).toContain('Nothing was done: refused Conflict: Accept the payment')
    expect((await actsOn(changed)).sort()).toEqual(['operator.refused', 'payment.recheck'])
    const silent = await payUnderReview(world, 'user-3')
    world.emulator.setFaults({ api_5xx: {} })
    const { words: said } = await ask(silent, 'accept')
    expect(said).toContain('The provider does not answer. What it said before counts.')
  })

  it('does nothing where the facts have changed since they were shown, and shows them again', async () => {
    const { paymentId } = await world.as('user-1').buy()
    const { path, fields } = await ask(paymentId, 'refund')
    await operatorOf(world, ROLE_KEYS.owner).post('/users/user-1/grant', { days: 5, why: 'meanwhile' })
    const late = await visit.submit(path, { ...fields, why: 'asked for' })
    expect(late.status).toBe(409)
    expect(await actsOn(paymentId)).not.toContain('payment.refund')
    const again = await visit.submit(path, { ...fieldsOfAct(late.text), why: 'asked for' })
    expect(await visit.follow(again)).toContain('Done Refund recorded')
  })

  it('does not say done of what was refused, and says why, however often the form is sent', async () => {
    const paymentId = await payOtherwise(world, 'user-1', { charged: 1500, told: 1800 })
    const { path, fields } = await ask(paymentId, 'accept')
    const send = () => visit.submit(path, { ...fields, why: 'the user was asked' })
    const answers = [await send(), await send()]
    const targets = new Set(answers.map(({ headers }) => headers.get('location')))
    expect([...targets]).toEqual([expect.stringMatching(/\?refused=act_/)])
    for (const answer of answers) {
      const told = await visit.follow(answer)
      expect(told).toContain(
        'Nothing was done: refused Conflict: Accept the payment The payment is under review: Amount: ' +
          '2 000 DA here, 1 500 DA at the provider',
      )
      expect(told).not.toContain('Done')
    }
    const after = { act: 'payment.accept', code: 'conflict' }
    const refused = { act: 'operator.refused', why: 'the user was asked', after }
    expect(await audit(paymentId)).toMatchObject([refused])
    // A form that names the row as done says no more than the row.
    const forged = await visit.open(`/console/payments/${paymentId}?done=${(await audit(paymentId))[0].id}`)
    expect(wordsOf(forged.text)).not.toContain('Done')
  })

  it('says that an approval of another amount booked nothing, and names an operator for it', async () => {
    const paymentId = (await orderTransfer(world, 'user-1')).id
    const came = { amount: 1500, received_at: '2026-11-21', payment_method: 'ccp', why: 'seen' }
    await operatorOf(world, SECOND_KEY).post(`/payments/${paymentId}/approve`, came)
    const { path, fields } = await ask(paymentId, 'approve')
    const told = await visit.follow(await visit.submit(path, { ...fields, why: 'less came' }))
    const differs = '2 000 DA asked for, 1 500 DA by the operator’s entry'
    expect(told).toContain(
      `Noted; nothing is booked Transfer approved, by owner. The payment is under review: Amount: ${differs}`,
    )
    expect(told).not.toMatch(/provider says/i)
    const { words } = await ask(paymentId, 'accept')
    expect(words).toContain('An operator entered paid Amount reported 1 500 DA')
    expect(words).toContain(differs)
    expect(words).not.toContain('provider')
  })

  it('asks the provider once, and says what it answered', async () => {
    world.emulator.setFaults({ drop: {} })
    const { paymentId } = await world.as('user-1').buy()
    const { paymentId: unpaid } = await world.as('user-2').upgrade()
    const press = async (id: string) => {
      const { path, fields } = await ask(id, 'recheck')
      return visit.follow(await sendOften(path, fields))
    }
    const none = 'Done Provider asked, by owner. The page to pay on was opened on 21 November 2026 at 13:00.'
    expect(await press(unpaid)).toContain(none)
    expect((await visit.open('/console/users/user-1')).text).toContain(`/payments/${paymentId}/recheck"`)
    const told = await press(paymentId)
    expect(told).toContain('Done Provider asked, by owner. The payment is now: paid.')
    expect(await actsOn(paymentId)).toEqual(['payment.recheck'])
    world.emulator.setFaults({ api_5xx: {} })
    const { path, words, fields } = await ask(unpaid, 'recheck')
    expect(words).toContain('The provider does not answer')
    const silent = await visit.submit(path, fields)
    expect([silent.status, wordsOf(silent.text)]).toEqual([503, expect.stringContaining('unavailable')])
  })

  it('approves a transfer once two operators say what came', async () => {
    const paymentId = (await orderTransfer(world, 'user-1')).id
    const { path, words, fields } = await ask(paymentId, 'approve')
    expect(fields).toMatchObject({ amount: '2000', received_at: '2026-11-21', payment_method: '' })
    expect(words).toMatch(/Status open Access Free What Now Afterwards Approvals 0\/2 1\/2/)
    const said = { ...fields, payment_method: 'ccp', why: 'on the statement' }
    const first = 'Noted; nothing is booked Transfer approved for the first time, by owner.'
    const told = await visit.follow(await visit.submit(path, said))
    expect(told).toContain(`${first} A second operator must say the same.`)
    const second = await enterConsole(world, SECOND_KEY)
    const page = await second.open(path)
    expect(wordsOf(page.text)).toMatch(/Access Free Pro until 21 December 2026.* 1\/2 2\/2/)
    const other = { ...fieldsOfAct(page.text), why: 'seen' }
    const differs = await second.submit(path, { ...other, amount: '1900' })
    expect([differs.status, wordsOf(differs.text)]).toEqual([409, expect.stringContaining('not allowed')])
    expect(await second.follow(await second.submit(path, other))).toContain(
      'Done Transfer approved, by second.',
    )
  })

  it('is two clicks from the inbox, beside the proof and the bank’s line, and leads on', async () => {
    const [first, next] = [await orderTransfer(world, 'user-1'), await orderTransfer(world, 'user-2')]
    for (const [n, { id }] of [first, next].entries()) await sendProof(world, `user-${n + 1}`, id)
    const line = `Date;Libelle;Credit\n21/11/2026;VIR ${first.transfer.reference};2 000,00\n`
    expect((await sendBankStatement(world, ROLE_KEYS.owner, line)).status).toBe(200)
    const [approve, look] = [`/console/payments/${first.id}/approve`, `/console/payments/${first.id}`]
    const inbox = async (key: string) => (await (await enterConsole(world, key)).open()).text
    expect(await inbox(ROLE_KEYS.owner)).toContain(`href="${world.base}${approve}"`)
    const { words, fields } = await visit.ask(approve)
    expect(fields).toMatchObject({ amount: '2000', received_at: '2026-11-21', payment_method: 'ccp' })
    const why = `Bank statement, 21 November 2026: VIR ${first.transfer.reference}`
    expect(fields.why?.replaceAll('\u00a0', ' ')).toBe(why)
    expect(words).toContain('Bank statement CCP')
    const { text } = await visit.open(approve)
    for (const part of [`data="${world.base}${look}/proofs/1" type="image/png"`, `${look}/refuse"`])
      expect([part, text.includes(part)]).toEqual([part, true])
    // Its proof would be in the trail as read.
    const headers = { cookie: visit.cookie, 'sec-fetch-site': 'cross-site' }
    expect((await world.call('GET', approve, { headers })).text).not.toContain('<object')
    const answer = await visit.submit(approve, fields)
    const told = await visit.open(answer.headers.get('location')?.slice(world.base.length))
    expect(told.text).toContain(`href="${world.base}/console/payments/${next.id}/approve"`)
    expect(wordsOf(told.text)).toContain('Next in the inbox: Transfer with a proof')
    const support = await enterConsole(world, ROLE_KEYS.support)
    expect(await inbox(ROLE_KEYS.support)).not.toContain('/approve"')
    expect(wordsOf((await support.open(`/console/payments/${next.id}`)).text)).toContain(
      'Others decide: Approve the transfer · Refuse the transfer (accountant, owner)',
    )
  })

  it('takes an amount as the statement has it, once it was shown', async () => {
    const paymentId = (await orderTransfer(world, 'user-1')).id
    const { path, fields } = await ask(paymentId, 'approve')
    const form = { ...fields, payment_method: 'ccp', why: 'less came' }
    for (const [name, values] of Object.entries({
      amount: ['', '20,50', '0', '9999999999'],
      received_at: ['', '2026-02-31', '2026-11-25', '2026-09-01'],
      payment_method: ['', 'gold'],
    }))
      for (const value of values) {
        const again = await visit.submit(path, { ...form, [name]: value })
        const asksAgain = again.text.includes(`aria-describedby="wrong-${name}"`)
        expect([name, value, again.status, asksAgain]).toEqual([name, value, 422, true])
      }
    for (const [locale, amount, says] of [
      ['en', '1 980,50', 'has centimes. Only whole dinars are booked: enter the amount without them.'],
      ['en', '1,980', '1,980 is'],
    ] as const) {
      const reader = await enterConsole(world, ROLE_KEYS.owner, locale)
      const own = fieldsOfAct((await reader.open(path)).text)
      const again = await reader.submit(path, { ...form, ...own, payment_method: 'ccp', amount })
      expect([again.status, wordsOf(again.text)]).toEqual([422, expect.stringContaining(says)])
    }
    const shown = await visit.submit(path, { ...form, amount: '1 500' })
    expect(shown.status).toBe(422)
    expect(wordsOf(shown.text)).toContain('This is what follows from what you entered; confirm once more.')
    const kept = fieldsOfAct(shown.text)
    expect(kept).toMatchObject({ amount: '1 500', payment_method: 'ccp', why: 'less came' })
    expect(await audit(paymentId)).toEqual([])
    // Of a field that is sent twice the first counts, for what is shown and for what is done.
    const twice = new URLSearchParams(kept)
    twice.append('amount', '1')
    const headers = { cookie: visit.cookie, 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await world.call('POST', path, { body: twice.toString(), headers })
    expect(answer.status).toBe(303)
    expect(await audit(paymentId)).toMatchObject([{ after: { approvals: [{ amount: 1500 }] } }])
  })

  it('is offered on the page of its payment, and its form opens; to no viewer', async () => {
    const { paymentId } = await world.as('user-1').buy()
    const review = await payUnderReview(world, 'user-2')
    const transfer = (await orderTransfer(world, 'user-3')).id
    const { paymentId: second } = await world.as('user-4').buy()
    await database().query(setSecondOf, [second, 'pay_0'])
    await setBuyer(world.service.parts, { userId: 'user-5' }, COMPANY)
    const { paymentId: invoiced } = await world.as('user-5').buy()
    await setProfile(world, 'user-1', { email: 'amina@example.dz' })
    await database().query(forgetMail, ['user-1'])
    const ids: Readonly<Record<string, string>> = {
      ...{ recheck: review, accept: review, refund: paymentId, 'resend-receipt': paymentId },
      ...{ approve: transfer, refuse: transfer, keep: second, 'correct-invoice': invoiced },
    }
    const viewer = await enterConsole(world, ROLE_KEYS.viewer)
    for (const name of PAYMENT_VERBS) {
      const page = `/console/payments/${ids[name]}`
      const shown = await Promise.all([visit, viewer].map(async (own) => (await own.open(page)).text))
      const offered = shown.map((text) => text.includes(`="${world.base}${page}/${name}"`))
      expect([name, ...offered]).toEqual([name, true, false])
      expect([name, (await visit.open(`${page}/${name}`)).status]).toEqual([name, 200])
    }
    for (const id of Object.values(ids)) expect(await audit(id)).toEqual([])
  })
})
