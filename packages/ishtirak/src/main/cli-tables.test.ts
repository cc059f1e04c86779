import { expect, it } from 'vitest'
import { foundTable, withLocalTimes } from './cli-tables.js'

it('the time on the wall stands behind each instant, with its day where that differs', () => {
  const answer = { paid_at: '2026-11-21T12:00:00Z', ends: [{ at: '2026-11-21T23:30:00Z' }], none: null }
  expect(withLocalTimes(answer, 'Africa/Algiers')).toEqual({
    paid_at: '2026-11-21T12:00:00Z (13:00)',
    ends: [{ at: '2026-11-21T23:30:00Z (2026-11-22 00:30)' }],
    none: null,
  })
  expect(withLocalTimes(answer, 'America/New_York').ends[0]).toEqual({ at: '2026-11-21T23:30:00Z (18:30)' })
})

it('a text that only holds an instant stays as it was written', () => {
  const why = 'paid at 2026-11-21T12:00:00Z, says the bank'
  expect(withLocalTimes({ why }, 'Africa/Algiers')).toEqual({ why })
})

it('users that were found stand in a table, without the characters that move a cursor', () => {
  const users = [{ user_id: 'user-1', email: 'amina@example.dz', name: 'A\u001b[2J' }]
  expect(foundTable({ users, payments: [] }, 'user-1')).toBe(
    'USER    EMAIL             NAME\nuser-1  amina@example.dz  A?[2J',
  )
})
