// Which lines are approved by the state of their transfers, and in which operator's name.

import { describeScenario } from '../../../../test/support/databases.js'
import { NOON } from '../../../../test/support/fixtures.js'
import {
  bookedByKarim as booked,
  insertTransfers,
  type KnownTransfer,
} from '../../../../test/support/known-transfers.js'
import { sql } from '../../../../test/support/sql.js'
import { settleLines } from './bank-matches.sql.js'

interface Line {
  readonly refs: readonly string[]
  readonly amount?: number
  readonly pays?: readonly string[]
  readonly state?: string
}

const WAITS = { state: 'open', status: 'pending', approvedBy: null } as const
const ONE = { refs: ['ref_1'] }
const PAYS = { refs: [], pays: ['pay_1'] }
const TWO = { refs: ['ref_1', 'ref_2'], pays: ['pay_1', 'pay_2'], amount: 4000 }
const REST = { ...TWO, pays: ['pay_1'] }
const ALONE = { ...ONE, pays: ['pay_1'], amount: 3000 }
const MOST = 2_147_483_647
const LARGE = { amount: MOST }

const REVIEW = { status: 'review' } as const
const BOTH = [booked(1), booked(2)]
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
  'pays two that are booked': [[TWO], BOTH, ['lin_1']],
  'pays two of which one waits': [[TWO], [booked(1), booked(2, WAITS)], []],
  'pays two of which one is in review': [[TWO], [booked(1), booked(2, REVIEW)], []],
  'has money left for another that waits': [[REST], [booked(1), booked(2, WAITS)], []],
  'has money left, and what it names is over': [[REST], BOTH, ['lin_1']],
  'has money left, and names alone what it pays': [[ALONE], [booked(1, { state: 'open' })], ['lin_1']],
  'has no money left for another': [[{ ...REST, amount: 2000 }], [booked(1), booked(2, WAITS)], ['lin_1']],
  'pays the largest amounts': [
    [{ ...TWO, amount: 2 * MOST }],
    [1, 2].map((n) => booked(n, LARGE)),
    ['lin_1'],
  ],
}

const insert =
  sql(`insert into bank_lines (id, statement_id, account, day, amount_centimes, text, text_key, nth, refs,
                           payment_ids, state, decided_at, reason)
   select 'lin_' || $1::int, 'stm_1', 'ccp', '2026-11-20', $2::bigint, 'VIR', 'vir', $1::int, $3::text[],
          $4::text[], $5, case when $5 <> 'open' then now() end, case when $5 <> 'open' then 'x' end`)
const decided = sql(`select id, decided_by from bank_lines where state = 'approved' order by id`)

describeScenario('a line is decided or not that', ({ database }) => {
  it.each(Object.entries(CASES))('%s', async (_, [lines, transfers, ids]) => {
    await database().script(`
      insert into bank_statements (id, account, imported_at, imported_by, form, lines, first_day, last_day)
      values ('stm_1', 'ccp', now(), 'karim', '{}', 1, '2026-11-20', '2026-11-20')`)
    for (const [n, { refs, amount = 2000, pays = [], state = 'open' }] of lines.entries())
      await database().query(insert, [n + 1, amount * 100, refs, pays, state])
    await insertTransfers(database(), transfers)
    expect(await settleLines(database(), NOON)).toBe(ids.length)
    expect(await database().query(decided)).toEqual(ids.map((id) => ({ id, decided_by: 'karim' })))
  })
})
