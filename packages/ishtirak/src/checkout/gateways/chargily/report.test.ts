import fc from 'fast-check'
import { forAll } from '../../../../../../test/support/for-all.js'
import { CHECKOUT } from '../../../../../../test/support/stub-provider.js'
import { VECTOR_BODY } from '../../../../../../test/support/vector.js'
import type { CheckoutReport } from '../../../core/checkout.js'
import {
  readAmount,
  readCheckout,
  readEvent,
  readFlag,
  readPage,
  readShortText,
  readUnixSeconds,
} from './report.js'

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value))

const ID = '01hjjj9aymmrwe664nbzrv84sg'

/** The event of the documentation (Chargily docs, webhooks): `livemode` a string, no currency, `url`. */
const DOCUMENTED = {
  ...{ id: '01hjjjzf7wbkqyn5hfjd4zvqwb', entity: 'event', livemode: 'false', type: 'checkout.paid' },
  data: {
    ...{ id: ID, entity: 'checkout', fees: 1250, amount: 50000, locale: 'ar' },
    ...{ status: 'paid', metadata: null, created_at: 1_703_577_693, updated_at: 1_703_578_418 },
    ...{ payment_method: null, url: `https://pay.chargily.dz/test/checkouts/${ID}/pay` },
  },
  ...{ created_at: 1_703_578_418, updated_at: 1_703_578_418 },
}

const reportIn = (sent: unknown) => Object(readEvent(bytes(sent))).report as CheckoutReport | null | undefined

describe('an event', () => {
  test('as it is documented is read, with the mode of its envelope', () => {
    expect(readEvent(bytes(DOCUMENTED))).toEqual({
      ...{ id: '01hjjjzf7wbkqyn5hfjd4zvqwb', type: 'checkout.paid', createdAt: 1_703_578_418_000 },
      report: {
        ...{ method: 'chargily', checkoutId: ID, status: 'paid', amount: 50000 },
        ...{ currency: null, live: false, paymentId: null, userId: null, instrument: null },
        checkoutUrl: DOCUMENTED.data.url,
        ...{ fees: 1250, createdAt: 1_703_577_693_000, updatedAt: 1_703_578_418_000 },
      },
    })
  })

  const BORNE = [
    [{ fees: 50, fees_on_merchant: 30 }, 30],
    [{ fees: 50, fees_on_merchant: 0 }, 0],
    [{ fees: 50, chargily_pay_fees_allocation: 'merchant' }, 50],
    [{ fees: 50, chargily_pay_fees_allocation: 'customer' }, 0],
    [{ fees: 50, chargily_pay_fees_allocation: 'split' }, undefined],
    [{ fees: 50 }, 50],
    [{}, undefined],
    [{ fees: '1.5' }, undefined],
  ] as const

  test('says what of the fees the merchant bears', () => {
    const { fees: _, ...data } = DOCUMENTED.data
    const read = (said: object) => reportIn({ ...DOCUMENTED, data: { ...data, ...said } })
    expect(BORNE.map(([said]) => [said, read(said)?.fees])).toEqual(BORNE)
  })

  test('as it is really sent is read, without the documents of the merchant', () => {
    const sent = {
      ...JSON.parse(VECTOR_BODY),
      account: { name: 'Shop', nif: '000016001234567', satim_credentials: 'secret' },
    }
    sent.data.account = sent.account
    sent.data.checkout_url = 'http://pay.chargily.dz/test/checkouts/01hf7yat00000000000000chk1/pay'
    const event = readEvent(bytes(sent))
    expect(event).toMatchObject({ id: '01hf7yb8mr000000000000evt1', type: 'checkout.paid' })
    expect(reportIn(sent)).toMatchObject({ status: 'paid', amount: 2000, currency: 'DZD', live: false })
    // The scheme of the events is http, but the page takes card passwords.
    expect(reportIn(sent)?.checkoutUrl).toBe(
      'https://pay.chargily.dz/test/checkouts/01hf7yat00000000000000chk1/pay',
    )
    expect(JSON.stringify(event)).not.toMatch(/000016001234567|satim/)
  })

  test('is nothing else, and nothing without an id or a type, or of a checkout without the checkout', () => {
    const broken = ['', '{"id":', '{"id":"\xff","entity":"event","type":"checkout.paid"}']
    const ids = [undefined, 7, '', 'a\u0000b', 'a\ud800'].map((id) => ({ ...DOCUMENTED, id }))
    const others = [[DOCUMENTED], null, CHECKOUT, { ...DOCUMENTED, entity: 'checkout' }]
    const ofNone = [undefined, null, [], {}, { ...CHECKOUT, id: 7 }].map((data) => ({ ...DOCUMENTED, data }))
    const bodies = [...others, ...ids, ...ofNone, { ...DOCUMENTED, type: null }].map(bytes)
    const sent = [...broken.map((text) => Buffer.from(text, 'latin1')), ...bodies]
    expect(sent.filter((body) => typeof readEvent(body) === 'object').map(String)).toEqual([])
  })

  test('says when it was paid, if only in its envelope', () => {
    const { updated_at: _, ...data } = DOCUMENTED.data
    expect(reportIn({ ...DOCUMENTED, data })?.updatedAt).toBe(1_703_578_418_000)
  })
})

describe('a checkout', () => {
  test('carries our id in metadata of any shape', () => {
    const idIn = (metadata: unknown) => readCheckout({ ...CHECKOUT, metadata })?.paymentId
    const id = { payment_id: 'pay_1' }
    // An object, a list of one as documented, a list of pairs as the Python SDK sends.
    const given = [{ ...id, user_id: 'u' }, [id], [{ user_id: 'u' }, id]]
    expect(given.map(idIn)).toEqual(['pay_1', 'pay_1', 'pay_1'])
    const odd = [{ payment_id: '' }, { payment_id: 7 }, { payment_id: id }, 'payment_id']
    expect([null, [], [{}], {}, ...odd].filter((metadata) => idIn(metadata) !== null)).toEqual([])
  })

  test('has a status that we know or one that nothing follows from, in letters of either case', () => {
    const known = ['pending', 'processing', 'paid', 'failed', 'canceled', 'expired']
    const read = (statuses: readonly unknown[]) =>
      statuses.map((status) => readCheckout({ ...CHECKOUT, status })?.status)
    expect(read([...known, 'PAID'])).toEqual([...known, 'paid'])
    const others = ['refunded', '', 1, null]
    expect(read(others)).toEqual(others.map(() => 'unknown'))
    const report = readCheckout({ ...CHECKOUT, currency: 'DZD', payment_method: 'EDAHABIA' })
    expect(report).toMatchObject({ currency: 'DZD', instrument: 'edahabia' })
  })

  const ADDRESSES = [
    ['http://pay.chargily.dz/checkouts/x/pay', 'https://pay.chargily.dz/checkouts/x/pay'],
    ['http://127.0.0.1:3001/test/checkouts/x/pay', 'http://127.0.0.1:3001/test/checkouts/x/pay'],
    ['javascript:alert(1)', null],
    ['http://pay.chargily.dz@evil.example/x', null],
    ['/checkouts/x/pay', null],
    [7, null],
  ] as const

  test('sends people to no address but a page to pay on', () => {
    const read = (sent: unknown) => readCheckout({ ...CHECKOUT, checkout_url: sent })?.checkoutUrl
    expect(ADDRESSES.map(([sent]) => [sent, read(sent)])).toEqual(ADDRESSES)
  })

  test('is not: anything without an id, or that calls itself otherwise', () => {
    for (const value of [null, 7, 'x', [], {}, { ...CHECKOUT, id: '' }, { ...CHECKOUT, entity: 'price' }]) {
      expect(readCheckout(value)).toBeNull()
    }
    expect(readCheckout({ id: 'x' })).toMatchObject({ checkoutId: 'x', status: 'unknown', amount: null })
  })
})

describe('single values', () => {
  test('an amount, a flag and an instant are what cannot be read otherwise, or nothing', () => {
    expect([2000, '2000', 0, '0'].map(readAmount)).toEqual([2000, 2000, 0, 0])
    const numbers = [2000.5, -1, Number.MAX_SAFE_INTEGER + 1, null, true, [2000]]
    const texts = ['2000.5', '2000.00', '1e3', '0x10', '02000', ' 2000', '', '-1', '99999999999999999999']
    expect([...numbers, ...texts].filter((sent) => readAmount(sent) !== null)).toEqual([])
    expect([true, 'true', 1, '1'].map(readFlag)).toEqual([true, true, true, true])
    expect([false, 'false', 0, '0'].map(readFlag)).toEqual([false, false, false, false])
    expect(['', null, 'no', 2].map(readFlag)).toEqual([null, null, null, null])
    const second = 1_700_000_000
    expect([second, `${second}`].map(readUnixSeconds)).toEqual([second * 1000, second * 1000])
    // Milliseconds by mistake: 1,700,000,000,000 s would be the year 55,840.
    const odd = [second * 1000, 0, 1.5, '2023-11-14T22:13:20Z']
    expect(odd.filter((sent) => readUnixSeconds(sent) !== null)).toEqual([])
  })

  test('text is short and can be stored', () => {
    expect(readShortText('م')).toBe('م')
    expect(readShortText('x'.repeat(255))).toHaveLength(255)
    for (const odd of ['', 'x'.repeat(256), 'a\nb', '\u0000', '\udc00', 7, null])
      expect(readShortText(odd)).toBeNull()
  })
})

describe('a page of a list', () => {
  const one = { data: [CHECKOUT], current_page: 1, last_page: 1, next_page_url: null }
  const page = (rest: object) => ({ ...one, ...rest })

  test('keeps what has an id, and says whether another follows, never by the address that it names', () => {
    const next = [{}, { next_page_url: 'https://evil.example/?page=9' }, { last_page: 2 }].map(
      (rest) => readPage(page(rest), 1)?.nextPage,
    )
    expect(next).toEqual([null, 2, 2])
    expect(readPage(page({ data: [], last_page: 9, next_page_url: 'x' }), 1)?.nextPage).toBeNull()
    const report = readPage(page({ data: [null, {}, CHECKOUT, 7] }), 1)
    expect(report?.checkouts.map(({ checkoutId }) => checkoutId)).toEqual([CHECKOUT.id])
  })

  test('is not: another page than the one asked for, or no list', () => {
    expect(readPage(page({}), 2)).toBeNull()
    for (const value of [null, [], {}, { data: {} }, { data: null }]) expect(readPage(value, 1)).toBeNull()
  })
})

describe('whatever is sent', () => {
  /** JSON that resembles theirs: the right keys, and anything at all behind them. */
  const lookalike = (keys: readonly string[]) =>
    fc.record(Object.fromEntries(keys.map((key) => [key, fc.jsonValue()])), { requiredKeys: [] })
  const checkout = fc
    .tuple(fc.constant(CHECKOUT), lookalike(Object.keys(CHECKOUT)), lookalike(['url', 'account']))
    .map((parts) => Object.assign({}, ...parts))
  const event = fc
    .tuple(lookalike(Object.keys(DOCUMENTED)), fc.oneof(checkout, fc.jsonValue()), fc.boolean())
    .map(([rest, data, whole]) => (whole ? { ...DOCUMENTED, ...rest, data } : { ...rest, data }))

  test('no reader throws, and what it reads can be stored', () =>
    forAll(200, fc.oneof(checkout, event, fc.jsonValue()), (value) => {
      readPage({ data: [value] }, 1)
      readPage(value, 1)
      for (const report of [readCheckout(value), reportIn(value)]) {
        expect(JSON.stringify(report) ?? '').not.toContain('\\u0000')
        expect(report?.amount ?? 0).toSatisfy((amount: number) => Number.isSafeInteger(amount) && amount >= 0)
        expect(new Date(report?.updatedAt ?? 0).getTime()).not.toBeNaN()
      }
    }))

  test('no bytes make the event reader throw', () => {
    forAll(100, fc.uint8Array({ maxLength: 300 }), (body) => void readEvent(body))
    expect(readEvent(Buffer.from('['.repeat(65_536)))).toBe('malformed_json')
    const deep = `{"entity":"event","id":"e","type":"t","data":${'['.repeat(30_000)}${']'.repeat(30_000)}}`
    expect(readEvent(Buffer.from(deep))).toEqual({ id: 'e', type: 't', report: null, createdAt: null })
  })
})
