// Statements of redeemed codes as users get them: one page, in all three languages, that cannot be taken for
// a receipt.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { CODE_ENV, makeCodes, VOUCHER } from '../../../../test/support/codes.js'
import { emptyDatabase } from '../../../../test/support/databases.js'
import { OPERATOR_ENV, operatorOf } from '../../../../test/support/operator.js'
import { factsOf, linesOf, textOf } from '../../../../test/support/pdf.js'
import { createWorld, tokenOf, type World } from '../../../../test/support/world.js'

const BILLING = '/api/v1/billing'
let world: World
let address: string
beforeEach(async () => {
  world = await createWorld(await emptyDatabase('pglite'), { env: { ...OPERATOR_ENV, ...CODE_ENV } })
  const { code } = await makeCodes(operatorOf(world), { ...VOUCHER, months: 3 })
  await world.as('user-1').post(`${BILLING}/redeem`, { code })
  const { data } = (await world.as('user-1').get(`${BILLING}/redemptions`)).body
  address = `${BILLING}/redemptions/${data[0].id}/statement`
})
afterEach(() => world.stop())

async function statement(lang: string): Promise<Uint8Array> {
  const authorization = `Bearer ${await tokenOf({ sub: 'user-1' })}`
  const response = await fetch(`${world.url}${address}?lang=${lang}`, { headers: { authorization } })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf'])
  return new Uint8Array(await response.arrayBuffer())
}

/** Readers set the brackets and blanks of a line of two directions each in their own way. */
const letters = (line: string) => Array.from(line.replace(/\s/g, '')).sort().join('')

it('in French and English they say what was given, to and by whom, and that nothing was paid', async () => {
  for (const [lang, Title, ...lines] of [
    [
      ...[
        'fr',
        'Attestation d’utilisation d’un code',
        'Date d’émission 21/11/2026',
        'Ce document n’est pas un reçu',
      ],
      ...[
        'Exemple Hébergement',
        'Identifiant user-1',
        'Abonnement Pro du 21/11/2026 3 0,00 DA',
        'au 21/02/2027',
      ],
      ...['Code utilisé le 21/11/2026', `Référence ${address.split('/').at(-2)}`],
    ],
    [
      ...['en', 'Redemption statement', 'Pro subscription from 21/11/2026 3 0,00 DA'],
      'This is not a receipt: the time was given by a code, and no money was paid.',
    ],
  ]) {
    const page = await statement(String(lang))
    expect(factsOf(page)).toMatchObject({ Title, Pages: '1' })
    for (const line of lines) expect(textOf(page)).toContain(line)
  }
})

it('in Arabic they say the same', async () => {
  const arabic = await statement('ar')
  expect(factsOf(arabic).Title).toBe('شهادة استعمال رمز')
  const lines = linesOf(arabic).map((line) => letters(line))
  for (const line of ['شهادة استعمال رمز', 'استعمال الرمز', 'تاريخ الاستعمال'])
    expect(lines).toContain(letters(line))
})

it('are their user’s alone', async () => {
  expect((await world.as('user-2').get(address)).status).toBe(404)
  expect((await world.call('GET', address)).status).toBe(401)
})
