// "None" opens a second checkout, so "none" must be certain.
import { expect, test } from 'vitest'
import { CHECKOUT, chargilyWithStub, ORDER } from '../../../../../../test/support/stub-provider.js'

/** Seconds; the list is written in them. */
const SINCE = 1_700_000_000

/** One checkout a second, the newest first: number 0 was made at `SINCE + 100`. */
const others = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({
    ...CHECKOUT,
    id: `other${from + n}`,
    metadata: null,
    created_at: SINCE + 100 - (from + n),
  }))

/** A list server over `all`, 50 a page, with correct paging. */
function listOf(all: readonly object[]) {
  return ({ path }: { path: string }) => {
    const page = Number(new URL(path, 'http://far.side').searchParams.get('page'))
    const last_page = Math.max(1, Math.ceil(all.length / 50))
    const next_page_url = page < last_page ? `http://far.side/?page=${page + 1}` : null
    return {
      json: { data: all.slice((page - 1) * 50, page * 50), current_page: page, last_page, next_page_url },
    }
  }
}

/** What is found in `all` since then, and how many pages were asked for. */
async function find(reply: Parameters<typeof chargilyWithStub>[0], since = SINCE) {
  const { chargily, asked } = await chargilyWithStub(reply)
  return { found: await chargily.list.find(ORDER.paymentId, since * 1000), pages: asked.length }
}

const ours = { ok: true, value: [{ checkoutId: CHECKOUT.id }] }
const none = { ok: true, value: [] }
const unreadable = { ok: false, failure: { kind: 'unavailable', reason: 'unreadable' } }

test('finds the checkouts of a payment, the newest first, on whatever page', async () => {
  const mine = [0, 60].map((n) => ({ ...CHECKOUT, id: `mine${n}`, created_at: SINCE + n }))
  const { chargily, asked } = await chargilyWithStub(listOf([mine[0] ?? {}, ...others(0, 60), mine[1] ?? {}]))
  const answer = await chargily.list.find(ORDER.paymentId, SINCE * 1000)
  expect(answer.ok && answer.value.map(({ checkoutId }) => checkoutId)).toEqual(['mine60', 'mine0'])
  const pages = [1, 2].map((page) => `/test/api/v2/checkouts?per_page=50&page=${page}`)
  expect(asked.map(({ path }) => path)).toEqual(pages)
  expect(await find(listOf([]))).toEqual({ found: none, pages: 1 })
})

test('stops at the page on which all are older than the order, with a margin for two clocks', async () => {
  // With 600 s of margin number 701 is the first that is too old. Page 16 (750 to 799) has no other.
  expect(await find(listOf(others(0, 5_000)))).toEqual({ found: none, pages: 16 })
})

test('reads to its end a list that runs from old to new, and one without dates', async () => {
  const old = others(10_000, 120).reverse()
  // 120 old ones and ours: 50 + 50 + 21.
  expect(await find(listOf([...old, CHECKOUT]))).toMatchObject({ found: ours, pages: 3 })
  const undated = others(10_000, 50).map((other) => ({ ...other, created_at: null }))
  expect(await find(listOf([...undated, CHECKOUT]))).toMatchObject({ found: ours })
})

test('a list that is longer than we walk is no proof: the answer is "not known"', async () => {
  const longAgo = SINCE - 86_400
  expect(await find(listOf(others(0, 5_000)), longAgo)).toMatchObject({ found: unreadable, pages: 40 })
})

test('a list that promises a next page for ever, or does not turn the page, is an error', async () => {
  const endless = { data: others(0, 50), next_page_url: 'http://far.side/again' }
  // The second page brought nothing new.
  expect(await find(() => ({ json: endless }))).toMatchObject({ found: { ok: false }, pages: 2 })
  const first = { data: others(0, 50), current_page: 1, last_page: 9 }
  expect(await find(() => ({ json: first }))).toMatchObject({ found: unreadable })
})

test('trouble on a later page hides nothing that was found, and proves no absence', async () => {
  const answer = (first: object) => {
    const honest = listOf([first, ...others(0, 200)])
    return (asked: { path: string }) => (asked.path.endsWith('page=1') ? honest(asked) : { status: 500 })
  }
  expect(await find(answer(CHECKOUT))).toMatchObject({ found: ours })
  const unknown = await find(answer({ ...CHECKOUT, metadata: null }))
  expect(unknown.found).toMatchObject({ ok: false, failure: { reason: 'server_error' } })
})
