// The schema of a user's list of time, and the view that fills it.
import { type Static, Type } from 'typebox'
import { toTimestamp } from '../core/instant.js'
import { TIME_GIVERS, type TimeEntry } from '../core/time-list.js'
import { nullable, object, timestamp } from '../http/schemas.js'

const TimeEntrySchema = object('HeldTime', {
  start: timestamp,
  end: timestamp,
  given_by: Type.Enum([...TIME_GIVERS, 'gap'], { description: '`gap`: no plan was paid or granted' }),
  plan: nullable(Type.String({ description: 'Null in a gap' })),
  id: nullable(Type.String({ description: 'The id of the payment, redemption or grant; null in a gap' })),
})

export const timeList = Type.Array(TimeEntrySchema, {
  description:
    'All time of the user in order, without what was taken back by a refund or an operator; the end ' +
    'of a piece is the start of the next',
})

export function viewTimeList(list: readonly TimeEntry[]): Static<typeof timeList> {
  return list.map((time) => {
    const { plan, id } = time.by === 'gap' ? { plan: null, id: null } : { plan: time.plan.id, id: time.id }
    return { start: toTimestamp(time.start), end: toTimestamp(time.end), given_by: time.by, plan, id }
  })
}
