// The search: users by the beginning of their address or of any word of their name in any script, payments by
// what a slip says.

import { describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { NAMES } from '../../../../test/support/names.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { payOtherwise } from '../../../../test/support/other-amount.js'
import { platformFor } from '../../../../test/support/platform.js'
import { setProfile } from '../../../../test/support/profile.js'
import { TRANSFER_FILE } from '../../../../test/support/setting-files.js'
import { sql } from '../../../../test/support/sql.js'
import { findUsersByWord } from './search.sql.js'
import { readSearch } from './search-words.js'

const addNames = sql(`insert into users (user_id, name, created_at)
   select i, n, '2026-11-20' from unnest($1::text[], $2::text[]) as t(i, n)`)

interface Hit {
  readonly user_id: string
  readonly exact: boolean
}

describeWorldOnEach('the search', { env: { TRANSFER_FILE } }, ({ world, database }) => {
  const operator = operatorOf(world)

  const find = async (word: string) => (await operator.get(`/search?q=${encodeURIComponent(word)}`)).body
  const users = async (word: string) => (await find(word)).users.map(({ user_id }: Hit) => user_id).sort()
  const hits = async (word: string) =>
    (await find(word)).users.map((user: Hit) => `${user.user_id}${user.exact ? ' exact' : ''}`)
  const payments = async (word: string) =>
    (await find(word)).payments.map(({ id, exact }: { id: string; exact: boolean }) => [id, exact])

  it('finds users by the beginning of any word of a name, in any order, case and accent', async () => {
    await setProfile(world, 'u-1', { name: 'Amina Ben-Saïd' })
    await setProfile(world, 'u-2', { name: 'Émilie d’Arc' })
    for (const word of ['amin', 'AMINA', 'said', 'Saïd am', 'amina ben', 'ben s', 'amina  ben-saïd'])
      expect([word, await users(word)]).toEqual([word, ['u-1']])
    for (const word of ['emil', 'arc', 'd’arc', 'd arc émi'])
      expect([word, await users(word)]).toEqual([word, ['u-2']])
    for (const word of ['mina', 'aid', 'amina said']) expect([word, await users(word)]).toEqual([word, []])
  })

  it('finds Arabic names however the letters are written', async () => {
    await setProfile(world, 'u-1', { name: 'فاطمة الزَّهراء' })
    await setProfile(world, 'u-2', { name: 'أحمد مصطفى' })
    for (const word of ['فاطمه', 'فاطم', 'الزهراء فا', 'الزهـراء'])
      expect([word, await users(word)]).toEqual([word, ['u-1']])
    for (const word of ['احمد', 'أَحمد', 'إحمد', 'مصطفي', 'مصطفى أ'])
      expect([word, await users(word)]).toEqual([word, ['u-2']])
  })

  it('finds a name in the other script, behind those that are written so', async () => {
    const pairs = NAMES.flatMap(([arabic, latin], n) => [
      [`a-${n}`, arabic, latin, `l-${n}`] as const,
      [`l-${n}`, latin, arabic, `a-${n}`] as const,
    ])
    await database().query(addNames, [pairs.map(([id]) => id), pairs.map(([, name]) => name)])
    const hits = await Promise.all(
      pairs.map(async ([own, , typed, other]) => ({
        found: (await findUsersByWord(database(), readSearch(typed, true))).map(({ userId }) => userId),
        ...{ own, other },
      })),
    )
    const seen = hits.filter(({ found, own }) => found.includes(own))
    expect(seen.length / pairs.length).toBeGreaterThanOrEqual(0.95)
    // What is written as it was typed comes first, and few others come with it.
    expect(hits.filter(({ found, other }) => found[0] !== other)).toEqual([])
    expect(hits.flatMap(({ found }) => found).length).toBeLessThan(pairs.length * 2.2)
    await setProfile(world, 'u-1', { name: 'سميرة طالب' })
    await setProfile(world, 'u-2', { name: 'Louisa Hafidh' })
    for (const word of ['samira taleb', 'Samirah', 'taleb sam', 'TALEB'])
      expect([word, await users(word)]).toEqual([word, ['u-1']])
    for (const word of ['لويزة', 'حفيظ ل', 'Hafiz', 'lwiza'])
      expect([word, await users(word)]).toEqual([word, ['u-2']])
    // One consonant is too little.
    for (const word of ['so', 'سو']) expect([word, await users(word)]).toEqual([word, []])
  })

  it('finds users by the beginning of their address, and says which hit is exact', async () => {
    await setProfile(world, 'u-1', { email: 'Amina.B@Example.dz', name: 'A' })
    await setProfile(world, 'u-2', { email: 'amina.b@example.dz.test', name: 'B' })
    expect(await hits('AMINA.b@')).toEqual(['u-1', 'u-2'])
    expect(await hits(' amina.b@example.DZ ')).toEqual(['u-1 exact', 'u-2'])
    expect(await hits('u-2')).toEqual(['u-2 exact'])
    for (const word of ['%', '_', 'amina%', '\\', '@', "'", 'a\u{10ffff}'])
      expect(await hits(word)).toEqual([])
  })

  it('follows a change of the profile, and what the platform wants forgotten is found no more', async () => {
    await setProfile(world, 'u-1', { email: 'old@example.dz', name: 'Old Name' })
    await setProfile(world, 'u-1', { email: 'new@example.dz' })
    expect([await users('old@'), await users('old n'), await users('new@')]).toEqual([[], ['u-1'], ['u-1']])
    await setProfile(world, 'u-1', { email: null, name: null })
    expect([await users('new@'), await users('old')]).toEqual([[], []])
  })

  const setBuyer = async (userId: string, buyer: object) => {
    const { status } = await platformFor(world, userId).put('/buyer', { kind: 'company', ...buyer })
    expect(status).toBe(200)
  }

  it('finds a company by its name in any case and script, and says which it is', async () => {
    await setProfile(world, 'u-1', { name: 'Amina Kaci', email: 'amina@example.dz' })
    await setBuyer('u-1', { name: 'SARL Société Nationale de Promotion Immobilière du Hodna Béni-Slimane' })
    await setBuyer('u-2', { name: 'شركة الصَّحراء للإعلام الآلي' })
    for (const word of ['sarl soc', 'HODNA', 'societe nat', 'beni', 'amina', 'amina@'])
      expect([word, await users(word)]).toEqual([word, ['u-1']])
    for (const word of ['الصحراء', 'شركة الص', 'للاعلام'])
      expect([word, await users(word)]).toEqual([word, ['u-2']])
    // As سارة sounds, so does SARL.
    expect(await users('سارة')).toEqual([])
    const [hit] = (await find('hodna')).users
    expect(hit).toMatchObject({ name: 'Amina Kaci', buyer_name: expect.stringMatching(/^SARL.*Slimane$/) })
    await setBuyer('u-1', { name: 'EURL Aurès' })
    expect([await users('hodna'), await users('aures'), await users('amina')]).toEqual([[], ['u-1'], ['u-1']])
  })

  it('finds a company by its NIF and RC as people write them, whole or from eight signs on', async () => {
    const numbers = { nif: '000 216 001 808 337', rc: '29/00-0123456 B 20' }
    await setBuyer('u-1', { name: 'SARL Atlas', ...numbers })
    await setBuyer('u-2', { name: 'SNC Tell', nif: '٠٠٠٢١٦٠٠١٨٠٨٩٩٩', rc: 'RC n° 16/00 – 765.4321 ب 20' })
    for (const word of ['000216001808337', '000.216.001.808.337', 'NIF : 0002 1600 1808 337'])
      expect([word, await hits(word)]).toEqual([word, ['u-1 exact']])
    for (const word of [
      ...['29/00-0123456B20', '29 00 0123456 b 20', 'RC 29.00.0123456.B.20', '٢٩/٠٠-٠١٢٣٤٥٦ B ٢٠'],
    ])
      expect([word, await hits(word)]).toEqual([word, ['u-1 exact']])
    expect(await hits('000216001808999')).toEqual(['u-2 exact'])
    expect(await hits('16/00-7654321 ب 20')).toEqual(['u-2 exact'])
    expect(await hits('29/00-0123')).toEqual(['u-1'])
    expect(await hits('0002 1600')).toEqual(['u-1', 'u-2'])
    // Digits of an amount find no companies of a province.
    for (const word of ['2900', '2900 2026-03-14', '29/00', '0123456 B 20'])
      expect(await hits(word)).toEqual([])
  })

  it('finds a payment by the last digits of its amount and its day in the shop’s calendar', async () => {
    const { paymentId } = await world.as('user-1').buy()
    for (const word of ['2000 2026-11-21', '21/11/2026 2 000,00 DA', '000 2026-11-21'])
      expect([word, await payments(word)]).toEqual([word, [[paymentId, false]]])
    for (const word of ['2000 2026-11-22', '1000 2026-11-21', '2000 2026-11-31'])
      expect(await payments(word)).toEqual([])
    // 23:30 in UTC is the next day in Algiers.
    world.clock.advance(11.5 * 3_600_000)
    const { paymentId: late } = await world.as('user-2').buy()
    expect(await payments('2000 2026-11-22')).toEqual([[late, false]])
    // An amount without a day finds one of the last three days.
    for (const word of ['2000', '2 000,00 DA', '٢٠٠٠'])
      expect([word, await payments(word)]).toEqual([word, [late, paymentId].map((id) => [id, false])])
    for (const word of ['20', '00', '3000']) expect([word, await payments(word)]).toEqual([word, []])
    world.clock.advance(3 * 86_400_000 + 1)
    expect(await payments('2000')).toEqual([])
  })

  it('finds a payment by what came as by what was asked for, under review and booked', async () => {
    const paymentId = await payOtherwise(world, 'user-1', { charged: 1500 })
    for (const word of ['2000', '1500', '2000 2026-11-21', '500 2026-11-21'])
      expect([word, await payments(word)]).toEqual([word, [[paymentId, false]]])
    await operator.post(`/payments/${paymentId}/accept`, { why: 'seen' })
    expect((await operator.payment(paymentId)).payment).toMatchObject({ amount: 1500, amount_asked: 2000 })
    for (const word of ['2000', '1500 2026-11-21'])
      expect([word, await payments(word)]).toEqual([word, [[paymentId, false]]])
  })

  it('finds an unpaid one by the day it was asked for, and a transfer by its reference', async () => {
    const body = { plan: 'pro', method: 'transfer' }
    const asked = (await world.as('user-1').post('/api/v1/billing/payments', body)).body
    expect(await payments('2000 2026-11-21')).toEqual([[asked.id, false]])
    const { reference } = asked.transfer
    for (const word of [reference, reference.toLowerCase().replaceAll('-', ' '), asked.id])
      expect([word, await payments(word)]).toEqual([word, [[asked.id, true]]])
    const [first, , last] = reference.split('-')
    for (const word of [first, last, reference.slice(0, 7).toLowerCase(), reference.slice(-3)])
      expect([word, await payments(word)]).toEqual([word, [[asked.id, false]]])
    for (const word of [reference.slice(1, 5), reference.slice(0, 2), `${first}%`])
      expect([word, await payments(word)]).toEqual([word, []])
  })

  it('finds a payment by its checkout and its receipt’s number, with and without its mark', async () => {
    const { paymentId, checkoutId } = await world.as('user-1').buy()
    const { number } = (await operator.payment(paymentId)).receipt
    expect(number).toBe('TEST-2026-000001')
    for (const word of [number, '2026-000001', '2026-1', 'test-2026-1', checkoutId])
      expect([word, await payments(word)]).toEqual([word, [[paymentId, true]]])
    expect(await payments('2026-2')).toEqual([])
    expect((await operator.get('/search?q=%20')).status).toBe(422)
  })
})
