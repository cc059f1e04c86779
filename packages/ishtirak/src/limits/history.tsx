// The history of a user's limits: when they were full and what was refused, in the last 30 days; as a reading
// and on the page of the user.
import { Type } from 'typebox'
import type { UserPart } from '../acts/file-parts.js'
import { nextCursor, pageQuery } from '../acts/paging.js'
import { reading } from '../acts/reading.js'
import { DAY } from '../core/instant.js'
import { object, query, timestamp } from '../http/schemas.js'
import { requireUser } from '../ledger/load.js'
import type { CommonParts } from '../ledger/parts.js'
import { UserParamsSchema } from '../ledger/subjects.js'
import { type ConsolePages, Folded, type View } from '../pages/console-frame.js'
import { Table } from '../pages/table.js'
import { inBatches } from '../runtime/async.js'
import { type FullHour, forgetFullHours, fullHours, viewFullHour } from './refusals.sql.js'

export type LimitHistoryDeps = Pick<CommonParts, 'database' | 'clock'>

const FullHourSchema = object('FullLimit', {
  limit: Type.String({ examples: ['projects'] }),
  scope: Type.String({ description: 'Of what it is counted for each; empty: of the user' }),
  refused: Type.Integer({ description: 'How often, in one hour' }),
  asked: Type.Integer({ description: 'The sum of what was refused' }),
  used: Type.Integer({ description: 'What was in use at the last refusal' }),
  maximum: Type.Integer({ description: 'What the plan allowed then' }),
  first_at: timestamp,
  last_at: timestamp,
})

export const limitHistory = reading<LimitHistoryDeps>().reads({
  path: '/users/:user_id/limits/history',
  operationId: 'getLimitHistory',
  summary: 'When the limits of a user were full and what was refused, hour by hour, newest first',
  description: 'Kept for 30 days.',
  params: UserParamsSchema,
  query: query(pageQuery),
  answer: object('LimitHistory', { data: Type.Array(FullHourSchema), next_cursor: nextCursor }),
  refuses: ['invalid_cursor'],
  command: { usage: 'users limits <user>', show: ({ data, ...rest }) => ({ refusals: data, ...rest }) },
  read: async ({ database }, { params: { user_id: userId }, query: { cursor = null, limit = 50 } }) => {
    const { items, nextCursor: next } = await fullHours(database, { userId, cursor, limit })
    // Limits are counted for users without a row too: only who has neither is unknown.
    if (items.length === 0 && cursor === null) await requireUser({ database }, userId)
    return { data: items.map(viewFullHour), next_cursor: next }
  },
})

/** On the page; the reading has all. */
const SHOWN = 5

export function limitHistoryPart({ database }: Pick<CommonParts, 'database'>): UserPart<readonly FullHour[]> {
  return {
    key: 'limits_full',
    schema: Type.Array(FullHourSchema, {
      description: 'The newest hours in which a limit refused something',
    }),
    load: async ({ userId }) => (await fullHours(database, { userId, cursor: null, limit: SHOWN })).items,
    view: (hours) => hours.map(viewFullHour),
    card: (pages, view, hours) => (hours.length === 0 ? null : <LimitHistory {...{ pages, view, hours }} />),
  }
}

function LimitHistory(of: { pages: ConsolePages; view: View; hours: readonly FullHour[] }) {
  const { pages, view, hours } = of
  const { say, moment, number } = view
  return (
    <Folded id="limits-full" title={say('limitsFull')} isOpen={false}>
      <Table
        {...{ pages, view }}
        rows={hours}
        columns={[
          {
            head: 'limit',
            text: ({ limitName, scope }) => (scope === '' ? limitName : `${limitName} · ${scope}`),
            isName: true,
          },
          { head: 'fullFrom', text: ({ firstAt }) => moment(firstAt) },
          { head: 'fullUntil', text: ({ lastAt }) => moment(lastAt) },
          { head: 'refusedTimes', text: ({ refused }) => number(refused) },
          { head: 'usedOfMost', text: ({ used, maximum }) => `${number(used)} / ${number(maximum)}` },
        ]}
      />
    </Folded>
  )
}

const KEPT_MS = 30 * DAY
const FORGOTTEN_AT_ONCE = 1_000

/** A job. Gives how many it forgot. */
export function forgetLimitHistory({ database, clock }: LimitHistoryDeps, most: number): Promise<number> {
  const before = clock.now() - KEPT_MS
  return inBatches(most, FORGOTTEN_AT_ONCE, (limit) => forgetFullHours(database, before, limit))
}
