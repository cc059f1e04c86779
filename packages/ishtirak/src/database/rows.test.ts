import { describeOnEach } from '../../../../test/support/databases.js'
import { DatabaseError, type Parameter, statement } from './database.js'
import { column, columnsOf, instantOrNull, integer, recordOf, rowOf, text, writerOf } from './rows.js'

/** One statement per type: a plan knows its parameter's type once and for all. */
const echo = (type: string) => statement(`test.echo.${type}`, `select $1::${type} as value`)

describeOnEach('values', ({ database }) => {
  const there = async (type: string, parameter: Parameter) => {
    const rows = await database().query(echo(type), [parameter])
    return rows[0]?.value
  }

  it('come back as they went, of every type', async () => {
    const cases: readonly [type: string, parameter: Parameter, value: unknown][] = [
      ['text', 'plain', 'plain'],
      ['text', '', ''],
      ['text', 'اشتراك 🧾 quote\' double" back\\slash', 'اشتراك 🧾 quote\' double" back\\slash'],
      ['text', 'two\nlines\ttab', 'two\nlines\ttab'],
      ['text', 'ش'.repeat(500_000), 'ش'.repeat(500_000)],
      ['text', null, null],
      ['varchar', 'a', 'a'],
      ['uuid', '6E2F1C7E-0000-4000-8000-00000000000A', '6e2f1c7e-0000-4000-8000-00000000000a'],
      ['boolean', true, true],
      ['boolean', false, false],
      ['int2', -32_768, -32_768],
      ['int4', 2_147_483_647, 2_147_483_647],
      ['int8', 9_007_199_254_740_991, 9_007_199_254_740_991],
      ['int8', -9_007_199_254_740_991, -9_007_199_254_740_991],
      ['numeric', '12.50', 12.5],
      ['numeric', 1900, 1900],
      ['float8', 0.1, 0.1],
      ['date', '2026-11-21', '2026-11-21'],
      ['timestamptz', '2026-11-21T05:03:30.123Z', Date.UTC(2026, 10, 21, 5, 3, 30, 123)],
      // Algiers is an hour ahead of UTC.
      ['timestamptz', '2026-11-21T06:03:30+01:00', Date.UTC(2026, 10, 21, 5, 3, 30)],
      ['timestamptz', '1970-01-01T00:00:00Z', 0],
      ['json', '{"a": [1, null]}', { a: [1, null] }],
      ['jsonb', '{"name": "اشتراك", "list": [true, 1.5, null]}', { name: 'اشتراك', list: [true, 1.5, null] }],
      ['jsonb', 'null', null],
      ['text[]', [], []],
      ['text[]', ['a,b', 'c"d', 'e\\f', '{g}', '', ' ', 'NULL', null, 'سطر\nثان'], undefined],
      ['int4[]', [1, -2, null], [1, -2, null]],
      ['int8[]', [9_007_199_254_740_991], [9_007_199_254_740_991]],
      ['boolean[]', [true, false, null], [true, false, null]],
      ['numeric[]', [1.5, 2], [1.5, 2]],
      ['date[]', ['2026-02-28'], ['2026-02-28']],
      ['timestamptz[]', ['2026-01-01T00:00:00Z', null], [Date.UTC(2026, 0, 1), null]],
      ['jsonb[]', ['{"a":1}', '"b,c"'], [{ a: 1 }, 'b,c']],
      ['uuid[]', ['6e2f1c7e-0000-4000-8000-00000000000a'], ['6e2f1c7e-0000-4000-8000-00000000000a']],
    ]
    for (const [type, parameter, value] of cases) {
      expect.soft(await there(type, parameter), String(type)).toEqual(value === undefined ? parameter : value)
    }
  })

  it('an integer that a number cannot hold is refused, and the next statement works', async () => {
    // 2^53 is the first integer that equals its successor as a number.
    await expect(there('int8', '9007199254740992')).rejects.toMatchObject({ code: '22003' })
    await expect(there('int8[]', '{9007199254740992}')).rejects.toMatchObject({ code: '22003' })
    await expect(there('numeric', '9007199254740993')).rejects.toMatchObject({ code: '22003' })
    expect(await there('int8', 1)).toBe(1)
  })

  it('what its type does not take is refused with an error, not a hang', async () => {
    const cases: readonly [string, Parameter][] = [
      ['text', 'nul\0character'],
      ['text[]', ['nul\0character']],
      ['jsonb', '{"a":"nul\\u0000character"}'],
      ['jsonb', 'not json'],
      ['int4', 'seven'],
      ['int4', 2_147_483_648],
      ['int4', 1.5],
      ['timestamptz', 'yesterday-ish'],
      ['uuid', 'x'],
    ]
    for (const [type, parameter] of cases) {
      await expect.soft(there(type, parameter), String(type)).rejects.toBeInstanceOf(DatabaseError)
      expect.soft(await there('int4', 7), String(type)).toBe(7)
    }
  })
})

it('the name of a statement belongs to one text, and has at most 63 bytes: PostgreSQL would cut it', () => {
  statement('test.name', 'select 1')
  expect(() => statement('test.name', 'select 1')).not.toThrow()
  expect(() => statement('test.name', 'select 2')).toThrow('declared twice')
  expect(() => statement('test.'.padEnd(63, 'n'), 'select 1')).not.toThrow()
  expect(() => statement('test.'.padEnd(64, 'n'), 'select 1')).toThrow('too long')
})

describe('a description of rows', () => {
  const described = rowOf({
    userId: text,
    price: rowOf({ amount: integer, currency: text }),
    until: column('valid_until', instantOrNull),
  })
  const row = { user_id: 'user-1', amount: 2500, currency: 'dzd', valid_until: null, more: true }
  const value = { userId: 'user-1', price: { amount: 2500, currency: 'dzd' }, until: null }

  it('reads each field from the column of its name, or the one that it names', () => {
    expect(described(row)).toStrictEqual(value)
  })

  it('refuses a column of another type, and one that is missing', () => {
    const damaged = { ...row, id: 'pay_1', amount: 'much' }
    expect(() => described(damaged)).toThrow('pay_1: column amount holds a string')
    expect(() => described({ ...row, user_id: undefined })).toThrow('column user_id holds a undefined')
  })

  it('lists its columns, and writes what it reads', () => {
    expect(columnsOf(described, 'p')).toBe('p.user_id, p.amount, p.currency, p.valid_until')
    expect(recordOf(described)).toBe('user_id text, amount bigint, currency text, valid_until timestamptz')
    const { more, ...columns } = row
    expect(writerOf(described)(value)).toStrictEqual(columns)
    expect(writerOf(described)({ ...value, until: 0 }).valid_until).toBe('1970-01-01T00:00:00.000Z')
  })
})
