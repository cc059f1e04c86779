// Which lines are approved by the state of their transfers, and in which operator's name.
import { describeScenario } from '../../../../test/support/databases.js'
import { NOON } from '../../../../test/support/fixtures.js'
import {
  bookedByKarim as booked,
  insertTransfers,
  type KnownTransfer,
} from '../../../../test/support/known-transfers.js'
import { sql } from '../../../../test/support/sql.js'
import { settleLines } from './bank-statements.sql.js'

interface Line {
  readonly refs: readonly string[]
  readonly amount?: number
  readonly pays?: string
  readonly state?: string
}

const WAITS = { state: 'open', status: 'pending', approvedBy: null } as const
const ONE = { refs: ['ref_1'] }
const PAYS = { refs: [], pays: 'pay_1' }
const MOST = 2_147_483_647

const REVIEW = { status: 'review' } as const
type Case = [lines: readonly Line[], transfers: readonly KnownTransfer[], decided: string[]]

const CASES: Readonly<Record<string, Case>> = {
  'names a transfer that was booked by hand': [[ONE], [booked(1)], ['lin_1']],
  'names one that was given back since': [[ONE], [booked(1, { status: 'refunded' })], ['lin_1']],
  'names one that waits': [[ONE], [booked(1, WAITS)], []],
  'names one that was booked otherwise': [[ONE], [booked(1, { state: 'ended' })], []],
  'names one that is in review': [[ONE], [booked(1, REVIEW)], []],
  'has another amount': [[{ ...ONE, amount: 1999 }], [booked(1)], []],
  'names two': [[{ refs: ['ref_1', 'ref_2'] }], [booked(1)], []],
  'names none': [[{ refs: [] }], [booked(1)], []],
  'names what no transfer has': [[{ refs: ['ref_2'] }], [booked(1)], []],
  'was set aside': [[{ ...ONE, state: 'set_aside' }], [booked(1)], []],
  'names a transfer that another pays': [[{ ...PAYS, amount: 3000 }, ONE], [booked(1)], ['lin_1']],
  'is one of two that name it': [[ONE, ONE], [booked(1)], ['lin_1']],
  'pays what is booked': [[PAYS], [booked(1)], ['lin_1']],
  'pays one that waits': [[PAYS], [booked(1, WAITS)], []],
  'pays one that is in review': [[PAYS], [booked(1, REVIEW)], []],
  'pays less than came, as an operator has accepted': [
    [{ ...PAYS, amount: 3000 }],
    [booked(1, { state: 'open' })],
    ['lin_1'],
  ],
  'pays the largest amount': [[{ ...PAYS, amount: MOST }], [booked(1, { amount: MOST })], ['lin_1']],
}

const insert =
  sql(`insert into bank_lines (id, statement_id, place, account, day, amount_centimes, text, refs, payment_id,
                           state, decided_at, reason)
   select 'lin_' || $1::int, 'stm_1', $1::int, 'ccp', '2026-11-20', $2::bigint, 'VIR', $3::text[], $4,
          $5, case when $5 <> 'open' then now() end, case when $5 <> 'open' then 'x' end`)
const decided = sql(`select id, decided_by from bank_lines where state = 'approved' order by id`)

describeScenario('a line is decided or not that', ({ database }) => {
  it.each(Object.entries(CASES))('%s', async (_, [lines, transfers, ids]) => {
    await database().script(`
      insert into bank_statements (id, account, imported_at, imported_by, form, lines, first_day, last_day)
      values ('stm_1', 'ccp', now(), 'karim', '{}', 1, '2026-11-20', '2026-11-20')`)
    for (const [n, { refs, amount = 2000, pays = null, state = 'open' }] of lines.entries())
      await database().query(insert, [n + 1, amount * 100, refs, pays, state])
    await insertTransfers(database(), transfers)
    expect(await settleLines(database(), NOON)).toBe(ids.length)
    expect(await database().query(decided)).toEqual(ids.map((id) => ({ id, decided_by: 'karim' })))
  })
})
