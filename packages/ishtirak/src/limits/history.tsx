// When the limits of a user were full and what was refused, in the last 30 days.
import { Type } from 'typebox'
import type { UserPart } from '../acts/file-parts.js'
import { list } from '../acts/list.js'
import { inParts } from '../i18n/formats.js'
import { requireUser } from '../ledger/load.js'
import type { CommonParts } from '../ledger/parts.js'
import { UserParamsSchema } from '../ledger/subjects.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import { Folded, Table } from '../pages/console-parts.js'
import { type FullHour, fullHours } from './refusals.sql.js'
import { FullHourSchema } from './schemas.js'

export const limitHistory = list<Pick<CommonParts, 'database'>>()({
  path: '/users/:user_id/limits/history',
  operationId: 'getLimitHistory',
  summary: 'When the limits of a user were full and what was refused, hour by hour, newest first',
  description: 'Kept for 30 days.',
  params: UserParamsSchema,
  item: FullHourSchema,
  title: 'LimitHistory',
  command: { usage: 'users limits <user>', rows: 'refusals' },
  read: async ({ database }, { user_id: userId }, { cursor, limit }) => {
    const read = await fullHours(database, { userId, cursor, limit })
    // Limits are counted for users without a row too. Only a user with neither is unknown.
    if (read.items.length === 0 && cursor === null) await requireUser({ database }, userId)
    return read
  },
})

/** The rows on the page. The reading has all. */
const SHOWN = 5

export function limitHistoryPart({ database }: Pick<CommonParts, 'database'>): UserPart<readonly FullHour[]> {
  return {
    key: 'limits_full',
    schema: Type.Array(FullHourSchema, {
      description: 'The newest hours in which a limit refused something',
    }),
    load: async ({ userId }) => (await fullHours(database, { userId, cursor: null, limit: SHOWN })).items,
    view: (hours) => hours,
    card: (pages, view, hours) => (hours.length === 0 ? null : <LimitHistory {...{ pages, view, hours }} />),
  }
}

function LimitHistory(of: { pages: ConsolePages; view: View; hours: readonly FullHour[] }) {
  const { pages, view, hours } = of
  const { say, moment, number, locale } = view
  const named = (limit: string) =>
    pages.catalogue.limits.find(({ name }) => name === limit)?.words[locale] ?? limit
  return (
    <Folded id="limits-full" title={say('limitsFull')} isOpen={false}>
      <Table
        {...{ pages, view }}
        rows={hours}
        columns={[
          {
            head: 'limit',
            text: ({ limit, scope }) => inParts([named(limit), scope].filter(Boolean), locale),
            isName: true,
          },
          { head: 'fullFrom', text: ({ first_at }) => moment(first_at) },
          { head: 'fullUntil', text: ({ last_at }) => moment(last_at) },
          { head: 'refusedTimes', text: ({ refused }) => number(refused) },
          { head: 'usedOfMost', text: ({ used, maximum }) => `${number(used)} / ${number(maximum)}` },
        ]}
      />
    </Folded>
  )
}
