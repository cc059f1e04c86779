// Factures and avoirs as their buyer has them: the first print, further ones, and the file of a year.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { OPERATOR_ENV, operatorOf } from '../../../../test/support/operator.js'
import { textOf } from '../../../../test/support/pdf.js'
import { createWorld, tokenOf, type World } from '../../../../test/support/world.js'
import { setBuyer } from '../buyers/set-buyer.js'
import { readReceipt } from './receipt.js'

const COMPANY = {
  ...{ kind: 'company', name: 'EURL Nakhla', address: '12 rue Didouche Mourad, Alger' },
  ...{ rc: '16/00-0123456 B 20', nif: '000216001808337', nis: '000216001808331', ai: '16010112345' },
  legal_form: 'EURL',
}

describeScenario('factures that are handed out', ({ database }) => {
  let world: World
  beforeEach(async () => {
    world = await createWorld(database(), { env: OPERATOR_ENV })
  })
  afterEach(() => world.stop())

  const download = async (path: string) => {
    const headers = { authorization: `Bearer ${await tokenOf({ sub: 'user-1' })}` }
    const answer = await fetch(`${world.url}/api/v1/billing${path}`, { headers })
    expect([path, answer.status]).toEqual([path, 200])
    return new Uint8Array(await answer.arrayBuffer())
  }
  const print = async (paymentId: string, number: string) =>
    textOf(await download(`/payments/${paymentId}/papers/${number}?lang=fr`))

  it('are the original once, then a duplicate; a mail that is sent again brings the same', async () => {
    await setBuyer(world.service.parts, { userId: 'user-1' }, COMPANY)
    const { paymentId } = await world.as('user-1').buy()
    const number = 'TEST-F-2026-000001'
    const texts = [await print(paymentId, number), await print(paymentId, number)]
    expect(texts.map((text) => text.includes('Duplicata'))).toEqual([false, true])
    for (const text of texts) expect(text).toContain('EURL Nakhla')
    expect(textOf(await download(`/payments/${paymentId}/receipt?lang=fr`))).toContain('Duplicata')

    await operatorOf(world).post(`/payments/${paymentId}/refund`, { why: 'asked for' })
    const avoir = { userId: 'user-1', paymentId, number: 'TEST-A-2026-000001', locale: 'fr' } as const
    const byMail = async () => {
      const { pdf } = await readReceipt(world.service.parts, avoir, { byMail: true })
      return textOf(pdf ?? new Uint8Array())
    }
    const mailed = [await byMail(), await byMail()]
    expect(mailed.map((text) => text.includes('Duplicata'))).toEqual([false, false])
    expect(mailed[0]).toContain('TEST-F-2026-000001')
    expect(await print(paymentId, avoir.number)).toContain('Duplicata')
  })

  it('are named by the receipt that they replace, which may be printed as often as one likes', async () => {
    const { paymentId } = await world.as('user-1').buy()
    const receipt = () => download(`/payments/${paymentId}/receipt?lang=fr`)
    expect(textOf(await receipt())).not.toContain('Facture')
    await setBuyer(world.service.parts, { userId: 'user-1' }, COMPANY)
    await world.advance(60)
    for (const _ of [1, 2]) {
      const text = textOf(await receipt())
      expect(text).toContain('TEST-F-2026-000001')
      expect(text).not.toContain('Duplicata')
    }
  })

  it('stand in the file of the year, where what an avoir takes back is below zero', async () => {
    const { paymentId } = await world.as('user-1').buy()
    await setBuyer(world.service.parts, { userId: 'user-1' }, COMPANY)
    await world.advance(60)
    const csv = async () => {
      const text = new TextDecoder().decode(await download('/papers?year=2026&format=csv&lang=fr'))
      const lines = text.trim().split(/\r?\n/).slice(1)
      return lines.map((line) => [line.split(',')[0], line.split(',').at(-4)])
    }
    expect(await csv()).toEqual([['TEST-F-2026-000001', '2000']])
    await operatorOf(world).post(`/payments/${paymentId}/refund`, { why: 'asked for' })
    expect(await csv()).toEqual([
      ['TEST-F-2026-000001', '2000'],
      ['TEST-A-2026-000001', '-2000'],
    ])
    expect(textOf(await download('/papers?year=2026&lang=fr'))).toContain('−2 000,00')
  })
})
