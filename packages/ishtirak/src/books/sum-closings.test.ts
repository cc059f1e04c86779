// A month that several cells closed, as one.
import { expect, it } from 'vitest'
import { closedAtAll, lastClosedAtAll } from './sum-closings.js'

const closing = (month: string, paid: number, series: string, of: object) => ({
  ...{ month, sequence: 1, closed_at: paid, closed_by: 'amina', counted: { [series]: paid } },
  figures: { month, from: 5, live: true, owed: null, paid: { count: paid }, ...of },
})

it('has the sums of their figures, line by line, and the numbers of all their series', () => {
  const card = { method: 'chargily', instrument: 'cib' }
  const a = closing('2026-10', 2, 'A', { byMethod: [{ ...card, paid: { ttc: 100 } }] })
  const cash = { method: 'cash', instrument: '', paid: { ttc: 7 } }
  const b = closing('2026-10', 3, 'B', {
    owed: { owed: 4 },
    byMethod: [cash, { ...card, paid: { ttc: 20 } }],
  })
  expect(closedAtAll([[a], [b]])).toEqual([
    {
      ...{ month: '2026-10', sequence: 1, closed_at: 3, closed_by: 'amina', counted: { A: 2, B: 3 } },
      figures: {
        ...{ month: '2026-10', from: 5, live: true, owed: { owed: 4 }, paid: { count: 5 } },
        byMethod: [{ ...card, paid: { ttc: 120 } }, cash],
      },
    },
  ])
})

it('is closed where every cell has closed it', () => {
  const a = closing('2026-10', 2, 'A', {})
  expect(closedAtAll([[a], []])).toEqual([])
  expect(lastClosedAtAll([[{ month: '2026-10' }], [{ month: null }]])).toEqual([{ month: null }])
  expect(lastClosedAtAll([[{ month: '2026-10' }], [{ month: '2026-09' }]])).toEqual([{ month: '2026-09' }])
})
