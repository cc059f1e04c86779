// The same sales in one database and split over three: what operators read is the same, in the same order and
// to the same sums, whichever cell they ask.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createCells, usersOfCells } from '../../../../test/support/cells.js'
import { enterConsole } from '../../../../test/support/console.js'
import { DATABASE_KINDS } from '../../../../test/support/database-kinds.js'
import { emptyAll, freshDatabase } from '../../../../test/support/databases.js'
import { OPERATOR_ENV, OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import { SeededRandom } from '../../../../test/support/random.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import type { Database } from '../database/database.js'

/** What is drawn anew by each service, and what its cell alone has. */
const DRAWN =
  /^(id|at|receipt|number|about|next_cursor|(payment|checkout|operation)_id|(checkout|receipt)_url)$/
const LATER = /_at$|^created|^waits_since$/

// biome-ignore lint/suspicious/noExplicitAny: whatever the service sent
function plain(value: any): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (value === null || typeof value !== 'object') return value
  const kept = Object.entries(value).filter(([name]) => !DRAWN.test(name) && !LATER.test(name))
  return Object.fromEntries(kept.map(([name, one]) => [name, plain(one)]))
}

async function allPages(world: World, path: string): Promise<unknown> {
  const pages: unknown[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, body } = await operatorOf(world).get(`${path}${cursor && `&cursor=${cursor}`}`)
    expect(status).toBe(200)
    pages.push(plain(body))
    cursor = body.next_cursor
  }
  return pages
}

type Sums = Readonly<Record<string, number>>
const added = (all: readonly Sums[]) =>
  all.reduce((sum, one) =>
    Object.fromEntries(
      Object.entries(sum).map(([key, n]) => [key, Math.round((n + (one[key] ?? 0)) * 100) / 100]),
    ),
  )

const LISTS = [
  '/inbox?limit=3',
  '/users?limit=3',
  '/users?limit=2&state=expired',
  '/payments?limit=4',
  '/payments?limit=2&status=refunded',
  '/payments?limit=3&paid_from=2026-11-22',
  '/audit?limit=4',
  '/audit?limit=2&act=user.end',
  '/months/2026-11/receipts?limit=3',
  '/months/2026-11/sales?limit=3',
]
const SINGLE = [
  '/search?q=user',
  '/search?q=2000',
  '/months/2026-11',
  '/months/2026-11/declaration',
  '/years/2026-12',
]

describe.each(DATABASE_KINDS)('one shop or three cells (%s)', (kind) => {
  let databases: readonly Database[]
  beforeAll(async () => {
    databases = await Promise.all(Array.from({ length: 4 }, () => freshDatabase(kind)))
  })
  afterAll(() => Promise.all(databases.map((database) => database.close())))
  beforeEach(() => Promise.all(databases.map(emptyAll)))

  it.each([1, 2])('are the same to operators: %s', async (seed) => {
    const random = new SeededRandom(seed)
    const [one, ...three] = databases as [Database, ...Database[]]
    await using cells = await createCells(three)
    const [a] = cells.worlds as [World]
    const { clock, emulator } = a
    await using whole = await createWorld(one, { env: OPERATOR_ENV, host: 'none', clock, emulator })
    const users = usersOfCells(cells, 3)
    const pick = <One>(of: readonly One[]) => random.pick(of)
    const paid: { readonly cell: string; readonly whole: string }[] = []
    const both = async (act: string, of: { cell: string; whole: string }, body: object) => {
      const asked = pick(cells.worlds)
      const answers = [
        await operatorOf(asked).post(`/${act.replace('*', of.cell)}`, body),
        await operatorOf(whole).post(`/${act.replace('*', of.whole)}`, body),
      ]
      expect(answers.map(({ status }) => status)[0]).toBe(answers[1]?.status)
    }
    for (let n = 0; n < 16; n++) {
      clock.advance(3_600_000)
      const user = pick(users)
      const what = pick(['buy', 'buy', 'buy', 'review', 'refund', 'end', 'grant'])
      if (what === 'buy' || what === 'review') {
        const ids: string[] = []
        for (const world of [cells.of(user), whole]) {
          if (what === 'review') emulator.setFaults({ wrong_amount: { times: 1 } })
          const bought = await world
            .as(user)
            .buyWanted({ plan: 'pro', months: 1 })
            .catch(() => null)
          if (bought) ids.push(bought.paymentId)
        }
        const [cell, other] = ids
        if (cell && other) paid.push({ cell, whole: other })
      } else if (what === 'refund' && paid.length > 0)
        await both('payments/*/refund', pick(paid), { why: 'drawn' })
      else if (what === 'end') await both('users/*/end', { cell: user, whole: user }, { why: 'drawn' })
      else if (what === 'grant')
        await both('users/*/grant', { cell: user, whole: user }, { why: 'drawn', plan: 'pro', days: 5 })
    }
    await cells.advance(60)
    await whole.service.runner.runAll()
    const asked = pick(cells.worlds)
    for (const path of LISTS)
      expect([path, await allPages(asked, path)]).toEqual([path, await allPages(whole, path)])
    for (const path of SINGLE) {
      const [split, single] = [await operatorOf(asked).get(path), await operatorOf(whole).get(path)]
      const { by_cell: _, ...body } = split.body
      expect([path, plain(body)]).toEqual([path, plain(single.body)])
    }
    const { by_cell: byCell, ...month } = (await operatorOf(asked).get('/months/2026-11')).body
    expect(byCell.map(({ cell }: Sums & { cell: string }) => cell)).toEqual(['a', 'b', 'c'])
    expect(added(byCell.map((one: { paid: Sums }) => one.paid))).toEqual(month.paid)
    expect(added(byCell.map((one: { refunded: Sums }) => one.refunded))).toEqual(month.refunded)
    const { open } = await enterConsole(asked, OPERATOR_KEY)
    expect((await open('/console/months/2026-11')).text).toMatch(/id="by-cell".*<bdi>c<\/bdi>/s)
  })
})
