import { describeWorld } from '../../../../test/support/describe-world.js'
import { ENTERED_COMPANY } from '../../../../test/support/fixtures.js'
import { OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import { textOf } from '../../../../test/support/pdf.js'
import { setProfile } from '../../../../test/support/profile.js'
import { readMessage, sinkOfTests } from '../../../../test/support/smtp-sink.js'
import { tokenOf } from '../../../../test/support/world.js'
import { setBuyer } from '../buyers/set-buyer.js'

const sink = await sinkOfTests()
describeWorld('invoices that are handed out', { env: { SMTP_URL: sink.url } }, ({ world }) => {
  const download = async (path: string) => {
    const headers = { authorization: `Bearer ${await tokenOf({ sub: 'user-1' })}` }
    const answer = await fetch(`${world.url}/api/v1/billing${path}`, { headers })
    expect([path, answer.status]).toEqual([path, 200])
    return new Uint8Array(await answer.arrayBuffer())
  }
  const print = async (paymentId: string, number: string) =>
    textOf(await download(`/payments/${paymentId}/documents/${number}?lang=fr`))
  const printByOperator = async (paymentId: string) => {
    const address = `${world.url}/api/v1/operator/payments/${paymentId}/receipt?lang=fr`
    const answer = await fetch(address, { headers: { authorization: `Bearer ${OPERATOR_KEY}` } })
    return textOf(new Uint8Array(await answer.arrayBuffer()))
  }
  const setCompany = () => setBuyer(world.service.parts, { userId: 'user-1' }, ENTERED_COMPANY)
  const send = () => world.service.runner.runAll()
  const mailed = () =>
    sink.messages.map((message) => textOf(readMessage(message).parts['application/pdf'] ?? Buffer.of()))
  const areDuplicates = (texts: readonly string[]) => texts.map((text) => text.includes('Duplicata'))

  it('are the original once, then a duplicate', async () => {
    await setCompany()
    const { paymentId } = await world.as('user-1').buy()
    const number = 'TEST-F-2026-000001'
    // A HEAD request takes no original.
    const headers = { authorization: `Bearer ${await tokenOf({ sub: 'user-1' })}` }
    for (const path of [`documents/${number}`, 'receipt']) {
      const address = `${world.url}/api/v1/billing/payments/${paymentId}/${path}`
      expect((await fetch(address, { method: 'HEAD', headers })).status).toBe(405)
    }
    const texts = [await print(paymentId, number), await print(paymentId, number)]
    expect(areDuplicates(texts)).toEqual([false, true])
    for (const text of texts) expect(text).toContain('EURL Nakhla')
    expect(textOf(await download(`/payments/${paymentId}/receipt?lang=fr`))).toContain('Duplicata')
  })

  it('are the original in a mail, also when it is sent again', async () => {
    await setCompany()
    await setProfile(world, 'user-1', { email: 'amina@example.dz', locale: 'fr' })
    const { paymentId } = await world.as('user-1').buy()
    await send()
    world.clock.advance(6 * 60_000)
    await operatorOf(world).post(`/payments/${paymentId}/resend-receipt`, {})
    await send()
    expect(areDuplicates(mailed())).toEqual([false, false])
    expect(await print(paymentId, 'TEST-F-2026-000001')).toContain('Duplicata')
  })

  it('are noted as printed by the mail that brings them, and by none that names them', async () => {
    await setCompany()
    const { paymentId } = await world.as('user-1').buy()
    // The mail of the payment is not sent, because no address is known yet.
    await send()
    await setProfile(world, 'user-1', { email: 'amina@example.dz', locale: 'fr' })
    await operatorOf(world).post(`/payments/${paymentId}/refund`, { why: 'asked for' })
    await send()
    const creditNote = mailed().find((text) => text.includes('TEST-A-2026-000001'))
    expect(creditNote).toContain('TEST-F-2026-000001')
    expect(creditNote).not.toContain('Duplicata')
    expect(await print(paymentId, 'TEST-F-2026-000001')).not.toContain('Duplicata')
    expect(await print(paymentId, 'TEST-A-2026-000001')).toContain('Duplicata')
  })

  it('that were corrected come with the credit note that takes the one before back', async () => {
    await setCompany()
    await setProfile(world, 'user-1', { email: 'amina@example.dz', locale: 'fr' })
    const { paymentId } = await world.as('user-1').buy()
    await setBuyer(
      world.service.parts,
      { userId: 'user-1' },
      { ...ENTERED_COMPANY, address: '3 bd Zighout, Alger' },
    )
    await operatorOf(world).post(`/payments/${paymentId}/correct-invoice`, { why: 'they moved' })
    await send()
    const named = sink.messages.map(
      ({ source }) => source.match(/(?:invoice|credit-note)-TEST-[\w-]+\.pdf/g) ?? [],
    )
    const both = ['credit-note-TEST-A-2026-000001.pdf', 'invoice-TEST-F-2026-000002.pdf']
    expect(named.map((names) => [...new Set(names)])).toContainEqual(both)
    expect(await print(paymentId, 'TEST-A-2026-000001')).toContain('Duplicata')
    await operatorOf(world).post(`/payments/${paymentId}/refund`, { why: 'asked for' })
    await send()
    const last = sink.messages.at(-1)
    const told = last ? readMessage(last).parts['text/plain']?.toString() : ''
    expect(told).toMatch(/document n°\sTEST-F-2026-000002/)
    expect(told).toMatch(/avoir\sTEST-A-2026-000002/)
  })

  it('are duplicates for operators, who hand out the original at the desk alone', async () => {
    await setCompany()
    const { paymentId } = await world.as('user-1').buy()
    expect(await printByOperator(paymentId)).toContain('Duplicata')
    expect(await print(paymentId, 'TEST-F-2026-000001')).not.toContain('Duplicata')
    const sale = { plan: 'pro', method: 'cash', reference: '1', amount: 2020, why: 'paid at the desk' }
    const { body } = await operatorOf(world).post('/users/user-1/record', sale)
    const headers = { authorization: `Bearer ${OPERATOR_KEY}` }
    const address = `${world.url}/api/v1/operator/payments/${body.payment.id}/receipt`
    expect((await fetch(address, { method: 'HEAD', headers })).status).toBe(405)
    const texts = [await printByOperator(body.payment.id), await printByOperator(body.payment.id)]
    expect(texts[0]).toContain('TEST-F-2026-000002')
    expect(areDuplicates(texts)).toEqual([false, true])
  })

  it('are named by the receipt that they replace, which may be printed as often as one likes', async () => {
    const { paymentId } = await world.as('user-1').buy()
    const receipt = () => download(`/payments/${paymentId}/receipt?lang=fr`)
    expect(textOf(await receipt())).not.toContain('Facture')
    await setCompany()
    await world.advance(60)
    for (const _ of [1, 2]) {
      const text = textOf(await receipt())
      expect(text).toContain('TEST-F-2026-000001')
      expect(text).not.toContain('Duplicata')
    }
  })

  it('stand in the file of the year, where what a credit note takes back is below zero', async () => {
    const { paymentId } = await world.as('user-1').buy()
    await setCompany()
    await world.advance(60)
    const csv = async () => {
      const text = new TextDecoder().decode(await download('/documents?year=2026&lang=fr'))
      const lines = text.trim().split(/\r?\n/).slice(1)
      return lines.map((line) => `${line.split(',')[0]} ${line.split(',').at(-4)}`)
    }
    expect(await csv()).toEqual(['TEST-F-2026-000001 2000'])
    await operatorOf(world).post(`/payments/${paymentId}/refund`, { why: 'asked for' })
    expect(await csv()).toEqual(['TEST-F-2026-000001 2000', 'TEST-A-2026-000001 -2000'])
  })

  it('stand in that file also where they were corrected, and say of what the money went back', async () => {
    await setCompany()
    const { paymentId } = await world.as('user-1').buy()
    await operatorOf(world).post(`/payments/${paymentId}/correct-invoice`, { why: 'they moved' })
    await operatorOf(world).post(`/payments/${paymentId}/refund`, { why: 'asked for' })
    const text = new TextDecoder().decode(await download('/documents?year=2026&lang=fr'))
    const numbers = ['F-2026-000001', 'A-2026-000001', 'F-2026-000002', 'A-2026-000002']
    const shown = text.match(/^TEST-[AF]-2026-\d+/gm)
    expect(shown).toEqual(numbers.map((number) => `TEST-${number}`))
    const texts = await Promise.all(numbers.map((number) => print(paymentId, `TEST-${number}`)))
    expect(texts.map((page) => page.includes('Remboursé le'))).toEqual([false, false, true, false])
  })
})
