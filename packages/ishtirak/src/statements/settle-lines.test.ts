// Which lines are decided by what is known of transfers, and which operator stands for it.
import { expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { NOON } from '../../../../test/support/fixtures.js'
import { statement } from '../database/database.js'
import { settleBy } from './bank-matches.sql.js'

interface Line {
  readonly refs: readonly string[]
  readonly amount?: number
  readonly pays?: readonly string[]
  readonly state?: string
}

const fact = (n: number, changes: object = {}) => ({
  ...{ payment_id: `pay_${n}`, reference: `ref_${n}`, amount: 2000 },
  ...{ state: 'approved', status: 'paid', approved_by: 'karim', ...changes },
})
const WAITS = { state: 'open', status: 'pending', approved_by: null }
const [ONE, TWO] = [{ refs: ['ref_1'] }, { refs: ['ref_1', 'ref_2'], pays: ['pay_1', 'pay_2'], amount: 4000 }]

const CASES: Readonly<Record<string, [lines: readonly Line[], facts: readonly object[], decided: string[]]>> =
  {
    'names a transfer that was booked by hand': [[ONE], [fact(1)], ['lin_1']],
    'names one that was given back since': [[ONE], [fact(1, { status: 'refunded' })], ['lin_1']],
    'names one that waits': [[ONE], [fact(1, WAITS)], []],
    'names one that was booked otherwise': [[ONE], [fact(1, { state: 'ended' })], []],
    'names one that is in review': [[ONE], [fact(1, { status: 'review' })], []],
    'has another amount': [[{ ...ONE, amount: 1999 }], [fact(1)], []],
    'names two': [[{ refs: ['ref_1', 'ref_2'] }], [fact(1)], []],
    'names none': [[{ refs: [] }], [fact(1)], []],
    'names what no transfer has, such as __proto__': [[{ refs: ['__proto__'] }], [fact(1)], []],
    'was set aside': [[{ ...ONE, state: 'set_aside' }], [fact(1)], []],
    'names a transfer that another line pays': [
      [{ refs: [], pays: ['pay_1'], amount: 3000 }, ONE],
      [fact(1)],
      ['lin_1'],
    ],
    'is one of two that name it': [[ONE, ONE], [fact(1)], ['lin_1']],
    'pays what is booked': [[{ refs: [], pays: ['pay_1'] }], [fact(1)], ['lin_1']],
    'pays what is booked, as two cells say': [[{ refs: [], pays: ['pay_1'] }], [fact(1), fact(1)], ['lin_1']],
    'pays two that are booked': [[TWO], [fact(1), fact(2)], ['lin_1']],
    'pays two of which one waits': [[TWO], [fact(1), fact(2, WAITS)], []],
    'pays two of which one is known, by two cells': [[TWO], [fact(1), fact(1, { approved_by: 'amel' })], []],
    'has money left for another that it names': [
      [{ ...TWO, pays: ['pay_1'] }],
      [fact(1), fact(2, WAITS)],
      [],
    ],
    'has money left, and what it names is over': [
      [{ ...TWO, pays: ['pay_1'] }],
      [fact(1), fact(2)],
      ['lin_1'],
    ],
    'has money left, and names alone what it pays': [
      [{ ...ONE, pays: ['pay_1'], amount: 3000 }],
      [fact(1, { state: 'open' })],
      ['lin_1'],
    ],
    'has no money left for another that it names': [
      [{ ...TWO, pays: ['pay_1'], amount: 2000 }],
      [fact(1), fact(2, WAITS)],
      ['lin_1'],
    ],
    'pays the largest amounts': [
      [{ ...TWO, amount: 2 * 2_147_483_647 }],
      [fact(1, { amount: 2_147_483_647 }), fact(2, { amount: 2_147_483_647 })],
      ['lin_1'],
    ],
  }

const insert = statement(
  'test.settle_lines.insert',
  `insert into bank_lines (id, statement_id, account, day, amount_centimes, text, text_key, nth, refs,
                           payment_ids, state, decided_at, reason)
   select 'lin_' || $1::int, 'stm_1', 'ccp', '2026-11-20', $2::bigint, 'VIR', 'vir', $1::int, $3::text[],
          $4::text[], $5, case when $5 <> 'open' then now() end, case when $5 <> 'open' then 'x' end`,
)
const decided = statement(
  'test.settle_lines.decided',
  `select id, decided_by from bank_lines where state = 'approved' order by id`,
)

describeScenario('a line is decided or not that', ({ database }) => {
  it.each(Object.entries(CASES))('%s', async (_, [lines, facts, ids]) => {
    await database().script(`
      insert into bank_statements (id, account, imported_at, imported_by, form, line_ids, first_day, last_day)
      values ('stm_1', 'ccp', now(), 'karim', '{}', '{lin_1}', '2026-11-20', '2026-11-20')`)
    for (const [n, { refs, amount = 2000, pays = [], state = 'open' }] of lines.entries())
      await database().query(insert, [n + 1, amount * 100, refs, pays, state])
    expect(await settleBy(database(), facts as never, NOON)).toBe(ids.length)
    expect(await database().query(decided)).toEqual(ids.map((id) => ({ id, decided_by: 'karim' })))
  })
})
