import type { TObject } from 'typebox'
import { OperatorSessionsSchema } from '../access/session-acts.js'
import { CodeBatchSchema } from '../codes/code-schemas.js'
import { EventsSchema } from '../events/schemas.js'
import { inboxAnswer } from '../overview/inbox-schemas.js'
import {
  ListedUserSchema,
  OperatorPaymentSchema,
  PaymentFileSchema,
  userFileSchema,
} from '../overview/schemas.js'
import { FoundSchema } from '../overview/search-schemas.js'
import { timelineList } from '../overview/timeline.js'
import { trailList } from '../overview/trail-list.js'
import { RoundSchema } from '../reconciliation/reconciliation-schemas.js'
import { COLUMNS, plainJson, plainText, sections, withLocalTimes } from './cli-tables.js'
import { PreviewSchema } from './preview.js'

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
  const users = [{ user_id: 'user-1', email: null, name, plan: 'pro', exact: true }]
  const endpoint = { state: 'working', disabled_at: null }
  const events = ['payment.refunded', 'subscription.canceled']
  const answer = { users, payments: [], endpoint, none: null, count: 1, events }
  const lines = [
    ...['count  1', ''],
    ...['users:', '  user_id  email  name      plan  status  current_period_end  exact'],
    ...['  user-1   -      A?[2J??\u200f  pro   -       -                   true', ''],
    ...['endpoint:', '  state  working', ''],
    ...['events:', '  payment.refunded', '  subscription.canceled'],
  ]
  expect(sections(answer, 'UTC')).toBe(lines.join('\n'))
  // The reference of a transfer is looked for.
  const payment = { id: 'pay_1', method: 'transfer', checkout_id: 'K4M92R8FJW36' }
  const table = sections({ payments: [payment] }, 'UTC')
  expect(table).toMatch(/ method +payment_method +checkout_id .*\n.* transfer +- +K4M92R8FJW36 /)
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
  const { payment, ...lists } = PaymentFileSchema.properties
  const schemas = {
    ...lists,
    ...FoundSchema.properties,
    users_listed: { items: ListedUserSchema },
    payments: { items: OperatorPaymentSchema },
    changes: PreviewSchema.properties.changes,
    discrepancies: RoundSchema.properties.discrepancies,
    events: EventsSchema.properties.data,
    batches: { items: CodeBatchSchema },
    inbox: inboxAnswer([]).properties.data,
    timeline: { items: timelineList.item },
    trail: { items: trailList.item },
    waiting: userFile.properties.waiting,
    time: userFile.properties.time,
    sessions: OperatorSessionsSchema.properties.data,
  }
  for (const [list, columns] of Object.entries(COLUMNS)) {
    const { items }: { items?: TObject } = Object(schemas[list as keyof typeof schemas])
    expect(Object.keys(items?.properties ?? {})).toEqual(expect.arrayContaining([...columns]))
  }
})
