import type { TObject } from 'typebox'
import { CAPABILITIES } from '../main/capabilities.js'
import { PaymentFileSchema, userFileSchema } from '../overview/schemas.js'
import { actsOf, readingsOf } from './capability.js'
import { plainJson, plainText, SHARED_COLUMNS, sections, withLocalTimes } from './cli-tables.js'

it('the time on the wall stands behind each instant, and in no text that only holds one', () => {
  const why = 'paid at 2026-11-21T12:00:00Z, says the bank'
  expect(withLocalTimes({ why }, 'Africa/Algiers')).toEqual({ why })
  const answer = { paid_at: '2026-11-21T12:00:00Z', ends: [{ at: '2026-11-21T23:30:00Z' }], none: null }
  expect(withLocalTimes(answer, 'Africa/Algiers')).toEqual({
    paid_at: '2026-11-21T12:00:00Z (13:00)',
    ends: [{ at: '2026-11-21T23:30:00Z (2026-11-22 00:30)' }],
    none: null,
  })
  expect(withLocalTimes(answer, 'America/New_York').ends[0]).toEqual({ at: '2026-11-21T23:30:00Z (18:30)' })
})

it('a list is a table without the characters that move a cursor, facts are pairs, null is left out', () => {
  const name = 'A\u001b[2J\u202e\u2066\u200f'
  const users = [{ user_id: 'user-1', email: null, name, now: { plan: 'pro' }, exact: true }]
  const endpoint = { state: 'working', disabled_at: null }
  const events = ['payment.refunded', 'subscription.canceled']
  const answer = { users, payments: [], endpoint, none: null, count: 1, events }
  const lines = [
    ...['count  1', ''],
    ...['users:', '  user_id  email  name      now.plan  status  current_period_end  exact'],
    ...['  user-1   -      A?[2J??\u200f  pro       -       -                   true', ''],
    ...['endpoint:', '  state  working', ''],
    ...['events:', '  payment.refunded', '  subscription.canceled'],
  ]
  const columns = {
    users: ['user_id', 'email', 'name', 'now.plan', 'status', 'current_period_end', 'exact'],
  }
  expect(sections(answer, 'UTC', columns)).toBe(lines.join('\n'))
})

it('JSON is the same value without the characters that move a cursor', () => {
  const value = { name: 'A\u001b[2J\u007f\u009b\u202e\u2066\u200f', list: [1] }
  const text = plainJson(value)
  expect(JSON.parse(text)).toEqual(value)
  expect(plainText(text.replaceAll('\n', ''))).toBe(text.replaceAll('\n', ''))
  expect(text).toContain('"A\\u001b[2J\\u007f\\u009b\\u202e\\u2066\u200f",\n')
})

it('each column is a member of the list’s schema', () => {
  const userFile = userFileSchema([], [], { payment: [], user: [] })
  const deps = { files: { payment: { schema: PaymentFileSchema }, user: { schema: userFile } } } as never
  const readings = readingsOf<never>(CAPABILITIES).map(({ command, answer }) => ({
    columns: command?.columns,
    schema: typeof answer === 'function' ? answer(deps) : answer,
  }))
  const acts = actsOf<never>(CAPABILITIES).flatMap(({ on, answer }) =>
    answer ? [{ columns: on.command.columns, schema: answer.schema }] : [],
  )
  const membersOf = (schema: object): Record<string, { items?: TObject } | undefined> =>
    Object(Object(schema).properties)
  const wrong = [...readings, ...acts].flatMap(({ columns = {}, schema }) =>
    Object.entries({ ...SHARED_COLUMNS, ...columns }).flatMap(([list, names]) => {
      const isOwn = list in columns
      const { data, [list]: shown = isOwn ? data : undefined } = membersOf(schema)
      const { anyOf: [first] = [shown?.items] } = Object(shown?.items)
      const member = (name: string) =>
        name.split('.').reduce((schema, part) => Object(schema?.properties)[part], first)
      return (first || isOwn ? names : []).filter((name) => !member(name)).map((name) => [list, name])
    }),
  )
  expect(wrong).toEqual([])
  expect(readings.filter(({ columns }) => columns).length).toBeGreaterThan(8)
})
