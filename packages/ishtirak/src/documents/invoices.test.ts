import { describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { ENTERED_COMPANY } from '../../../../test/support/fixtures.js'
import { operatorOf, ownerNamed } from '../../../../test/support/operator.js'
import { sql } from '../../../../test/support/sql.js'
import { callBy, doAct } from '../acts/act-routes.js'
import type { TypedBuyer } from '../buyers/read-buyer.js'
import { setBuyer } from '../buyers/set-buyer.js'
import { DAY } from '../core/instant.js'
import type { Database } from '../database/database.js'
import { createWorkQueue } from '../runtime/async.js'
import { correctInvoice } from './documents-part.js'
import { askForInvoice, issueOwedInvoices } from './invoices.js'
import { askForReceipt } from './receipt.js'

const PERSON = { kind: 'person', name: 'Samira Taleb', address: 'Cité 1000, Oran' }

const selectOwing = sql('select user_id from owed_invoices')
const selectSeries =
  sql(`select s.series, s.last_number, count(*)::int as documents, max(n.number)::int as highest
     from document_series s
     join documents n
    using (series)
    group by s.series, s.last_number order by s.series`)

describeWorldOnEach('the documents of a payment', {}, ({ world, database }) => {
  const named = (userId: string, buyer: TypedBuyer) => setBuyer(world.service.parts, { userId }, buyer)
  const documentsOf = async (userId: string, paymentId: string) =>
    (await world.as(userId).get(`/api/v1/billing/payments/${paymentId}/documents`)).body.documents
  /** Each document as `kind number`, with the document that it is about. */
  const listed = async (userId: string, paymentId: string) =>
    (await documentsOf(userId, paymentId)).map(({ kind, number, about }: Record<string, string | null>) =>
      [kind, number, about].filter(Boolean).join(' '),
    )
  const ask = (userId: string, paymentId: string) =>
    world.as(userId).post(`/api/v1/billing/payments/${paymentId}/invoice`, {})
  const operator = () => operatorOf(world)
  const act = (paymentId: string, name: string) =>
    operator().post(`/payments/${paymentId}/${name}`, { why: 'asked for by the customer' })

  it('a company has an invoice in place of the receipt, in a series of its own', async () => {
    await named('user-1', ENTERED_COMPANY)
    await named('user-2', { ...ENTERED_COMPANY, nif: null })
    await named('user-3', PERSON)
    await named('user-4', ENTERED_COMPANY)
    const documents = []
    for (const userId of ['user-1', 'user-2', 'user-3', 'user-4'])
      documents.push(await listed(userId, (await world.as(userId).buy()).paymentId))
    expect(documents).toEqual([
      ...[['invoice TEST-F-2026-000001'], ['receipt TEST-2026-000001']],
      ...[['receipt TEST-2026-000002'], ['invoice TEST-F-2026-000002']],
    ])
  })

  it('a person has an invoice if they ask for one: the same one, however often', async () => {
    await named('user-1', { ...PERSON, address: null })
    const { paymentId } = await world.as('user-1').buy()
    const early = await ask('user-1', paymentId)
    const expected = [409, { code: 'buyer_incomplete', missing: ['address'] }]
    expect([early.status, early.body]).toMatchObject(expected)
    await named('user-1', PERSON)
    const answers = await Promise.all([...Array(20)].map(() => ask('user-1', paymentId)))
    const invoice = {
      ...{ kind: 'invoice', number: 'TEST-F-2026-000001', issued_on: '2026-11-21' },
      about: 'TEST-2026-000001',
      po_number: null,
    }
    for (const { status, body } of answers) expect([status, body]).toEqual([200, invoice])
    expect(await documentsOf('user-1', paymentId)).toMatchObject([{ kind: 'receipt' }, invoice])
    expect((await ask('user-2', paymentId)).status).toBe(404)
  })

  it('stand in one year: an invoice of January takes the receipt of December out of its table', async () => {
    const { paymentId } = await world.as('user-1').buy()
    await named('user-1', PERSON)
    world.clock.advance(45 * DAY)
    expect((await ask('user-1', paymentId)).status).toBe(200)
    const tableOf = async (year: number) => {
      const { text } = await world.as('user-1').get(`/api/v1/billing/documents?year=${year}`)
      return text.match(/TEST-[\w-]*\d/g)
    }
    expect([await tableOf(2026), await tableOf(2027)]).toEqual([null, ['TEST-F-2027-000001']])
  })

  it('are printed first as the original, also after a print that was refused as busy', async () => {
    await named('user-1', ENTERED_COMPANY)
    const { paymentId } = await world.as('user-1').buy()
    const { parts } = world.service
    let looks = 0
    // The last free place is taken between the first check and the second.
    const queue = {
      ...createWorkQueue(),
      get waiting() {
        return looks++ === 0 ? 0 : 1_000
      },
    }
    const pages: string[] = []
    const typesetter = {
      typeset: (_template: string, data: object) => {
        pages.push(JSON.stringify(data))
        return Buffer.of()
      },
    }
    const of = { userId: 'user-1', paymentId, locale: 'fr' } as const
    const busy = { ...parts, printer: { ...parts.printer, typesetter, queue } }
    await askForReceipt(busy, of).catch(() => undefined)
    await askForReceipt({ ...parts, printer: { ...parts.printer, typesetter } }, of)
    expect(pages[0]).not.toContain('Duplicata')
  })

  it('a corrected invoice follows a credit note that it names; a refund has a credit note', async () => {
    await named('user-1', ENTERED_COMPANY)
    const { paymentId } = await world.as('user-1').buy()
    const { paymentId: other } = await world.as('user-2').buy()
    await named('user-1', { ...ENTERED_COMPANY, address: '3 bd Zighout Youcef, Alger' })
    expect((await act(paymentId, 'correct-invoice')).status).toBe(200)
    const corrected = [
      ...['invoice TEST-F-2026-000001', 'credit_note TEST-A-2026-000001 TEST-F-2026-000001'],
      'invoice TEST-F-2026-000002 TEST-A-2026-000001',
    ]
    expect(await listed('user-1', paymentId)).toEqual(corrected)
    for (const id of [paymentId, other]) expect((await act(id, 'refund')).status).toBe(200)
    const last = 'credit_note TEST-A-2026-000002 TEST-F-2026-000002'
    expect(await listed('user-1', paymentId)).toEqual([...corrected, last])
    expect((await act(paymentId, 'correct-invoice')).body.code).toBe('already_refunded')
    expect(await listed('user-2', other)).toEqual(['receipt TEST-2026-000001'])
    expect((await ask('user-2', other)).body.code).toBe('already_refunded')
    const path = `/api/v1/billing/payments/${paymentId}/documents/TEST-A-2026-000002`
    const { status, headers } = await world.as('user-1').get(path)
    const disposition = 'inline; filename="credit-note-TEST-A-2026-000002.pdf"'
    expect([status, headers.get('content-disposition')]).toEqual([200, disposition])
  })

  it('a correction that comes second twice does not wait for itself', async () => {
    await named('user-1', ENTERED_COMPANY)
    const { paymentId } = await world.as('user-1').buy()
    let saves = 0
    const query: Database['query'] = async (asked, parameters) => {
      // Saves of the credit note, again of the credit note, and of the invoice.
      if (asked.name === 'settlements.save' && [1, 3].includes(++saves))
        await named('user-1', { ...ENTERED_COMPANY, address: `${saves} bd Zighout Youcef, Alger` })
      return database().query(asked, parameters)
    }
    const parts = { ...world.service.parts, database: { ...database(), query } }
    await doAct(parts, correctInvoice, callBy(ownerNamed('owner'), paymentId, { why: 'a wrong address' }))
    const expected = ['invoice', 'credit_note', 'invoice']
    expect((await documentsOf('user-1', paymentId)).map(({ kind }: { kind: string }) => kind)).toEqual(
      expected,
    )
    expect(saves).toBe(4)
  })

  it('what is refunded a moment before its invoice is issued has none, and holds up nothing', async () => {
    const { paymentId } = await world.as('user-1').buy()
    const { paymentId: other } = await world.as('user-1').buyWanted({ plan: 'pro' })
    await named('user-1', ENTERED_COMPANY)
    const { parts } = world.service
    const query: Database['query'] = async (asked, parameters) => {
      const rows = await database().query(asked, parameters)
      if (asked.name === 'invoices.owed') await act(paymentId, 'refund')
      return rows
    }
    await issueOwedInvoices({ ...parts, database: { ...database(), query } }, () => true)
    expect(await documentsOf('user-1', paymentId)).toMatchObject([{ kind: 'receipt' }])
    expect(await documentsOf('user-1', other)).toMatchObject([{ kind: 'receipt' }, { kind: 'invoice' }])
    expect(await database().query(selectOwing)).toEqual([])
  })

  it('one that is decided before midnight and saved behind one of the next day bears its date', async () => {
    const paymentOf: Record<string, string> = {}
    for (const userId of ['user-1', 'user-2']) {
      await named(userId, PERSON)
      paymentOf[userId] = (await world.as(userId).buy()).paymentId
    }
    const midnight = Date.parse('2026-11-30T23:00:00Z')
    world.clock.advance(midnight - 1_000 - world.clock.now())
    const query: Database['query'] = async (asked, parameters) => {
      if (asked.name === 'settlements.save') {
        world.clock.advance(2_000)
        await ask('user-2', paymentOf['user-2'] ?? '')
      }
      return database().query(asked, parameters)
    }
    const parts = { ...world.service.parts, database: { ...database(), query } }
    await askForInvoice(parts, { userId: 'user-1', paymentId: paymentOf['user-1'] ?? '' })
    const issued = async (userId: string) => (await documentsOf(userId, paymentOf[userId] ?? '')).at(-1)
    const on = { issued_on: '2026-12-01' }
    expect(await issued('user-2')).toMatchObject({ number: 'TEST-F-2026-000001', ...on })
    expect(await issued('user-1')).toMatchObject({ number: 'TEST-F-2026-000002', ...on })
  })

  it('who asks is given the invoice that was issued, also where a credit note follows at once', async () => {
    await named('user-1', PERSON)
    const { paymentId } = await world.as('user-1').buy()
    let isIssued = false
    const query: Database['query'] = async (asked, parameters) => {
      const rows = await database().query(asked, parameters)
      if (asked.name === 'settlements.save' && !isIssued) {
        isIssued = true
        await act(paymentId, 'refund')
      }
      return rows
    }
    const parts = { ...world.service.parts, database: { ...database(), query } }
    expect(await askForInvoice(parts, { userId: 'user-1', paymentId })).toMatchObject({
      ...{ kind: 'invoice', number: 'TEST-F-2026-000001' },
    })
    expect((await documentsOf('user-1', paymentId)).at(-1)).toMatchObject({ kind: 'credit_note' })
  })

  it('what a company bought before it gave its details has its invoice soon after', async () => {
    const { paymentId: old } = await world.as('user-1').buy()
    await world.advance(32 * 86_400)
    const { paymentId } = await world.as('user-1').buy()
    await named('user-1', ENTERED_COMPANY)
    await world.advance(60)
    expect(await documentsOf('user-1', paymentId)).toMatchObject([
      { kind: 'receipt', number: 'TEST-2026-000002' },
      { kind: 'invoice', number: 'TEST-F-2026-000001', about: 'TEST-2026-000002', issued_on: '2026-12-23' },
    ])
    expect(await documentsOf('user-1', old)).toMatchObject([{ kind: 'receipt' }])
    expect((await ask('user-1', old)).body.number).toBe('TEST-F-2026-000002')
    expect(await database().query(selectOwing)).toEqual([])
  })

  it('series have no gap, whatever happens at once', async () => {
    const users = [...Array(12)].map((_, index) => `user-${index}`)
    for (const userId of users) await named(userId, Number(userId.slice(5)) % 2 ? ENTERED_COMPANY : PERSON)
    const bought = await Promise.all(users.map(async (userId) => (await world.as(userId).buy()).paymentId))
    await Promise.all(
      users.flatMap((userId, index) => {
        const paymentId = bought[index] ?? ''
        return [ask(userId, paymentId), act(paymentId, 'refund'), act(paymentId, 'correct-invoice')]
      }),
    )
    const numbers = await database().query(selectSeries)
    expect(numbers.length).toBeGreaterThan(1)
    for (const { last_number, documents, highest } of numbers)
      expect([documents, highest]).toEqual([last_number, last_number])
    for (const [index, userId] of users.entries()) {
      const documents = await documentsOf(userId, bought[index] ?? '')
      // Each payment is refunded, so each invoice has its credit note.
      expect(documents.at(-1).kind).not.toBe('invoice')
    }
  })
})
