// The shape of a day of the drawer. Amounts are dinars, with the stamp duty.
import { Type } from 'typebox'
import { nullable, object, timestamp } from '../http/schemas.js'
import { DESK_METHODS } from './desk.js'

const dinars = (description?: string) => Type.Number(description === undefined ? {} : { description })

const DrawerCountSchema = object('DrawerCount', {
  cash: Type.Integer({ description: 'What was there' }),
  cheques: Type.Integer({ description: 'What the cheques that were there add up to' }),
  cash_difference: dinars('More than the books said at the count; below zero: less'),
  cheques_difference: dinars(),
  counted_by: Type.String(),
  counted_at: timestamp,
  confirmed_by: nullable(Type.String({ description: 'Another operator; null: the day is not closed' })),
  confirmed_at: nullable(timestamp),
})

export const DrawerDaySchema = object('DrawerDay', {
  day: Type.String({ description: '`YYYY-MM-DD`, in the billing time zone', examples: ['2026-11-21'] }),
  state: Type.Enum(['open', 'counted', 'closed']),
  by_method: Type.Array(
    object('DrawerMethod', {
      method: Type.Enum([...DESK_METHODS]),
      slips: Type.Integer({ description: 'Payments that were taken' }),
      taken: dinars(),
      stamp_duty: dinars('Of what was taken'),
      returned: dinars('Refunds by hand, without the duty'),
      paid_out: dinars('Of balances'),
      expected: dinars('What must be there, beside what was there when the day began'),
      after_count: nullable(dinars('What came to the books after the count; null: it was not counted')),
    }),
  ),
  by_person: Type.Array(
    object('DrawerPerson', {
      operator: nullable(Type.String()),
      slips: Type.Integer(),
      cash: dinars('Taken, less what was given back'),
      cheques: dinars(),
    }),
  ),
  entries: Type.Array(
    object('DrawerEntry', {
      kind: Type.Enum(['taken', 'returned', 'paid_out']),
      method: Type.Enum([...DESK_METHODS]),
      at: timestamp,
      user_id: Type.String(),
      payment_id: nullable(Type.String()),
      reference: nullable(Type.String({ description: 'The slip, or the number of the cheque' })),
      amount: dinars('Below zero where it went out'),
      stamp_duty: dinars(),
      operator: nullable(Type.String()),
    }),
    { description: 'In their order' },
  ),
  count: nullable(DrawerCountSchema),
})
