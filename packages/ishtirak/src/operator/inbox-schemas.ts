// The shapes of the inbox.
import { type Static, Type } from 'typebox'
import { toTimestamp } from '../core/instant.js'
import { nameSchemas } from '../http/schemas.js'
import { nullable, timestamp } from '../payments/schemas.js'
import { NEXT_ACTS, type readInbox } from './inbox.js'
import { COUNTED_MAX, INBOX_KINDS } from './inbox.sql.js'
import { nextCursor, pageQuery } from './page.js'

const kind = Type.Enum([...INBOX_KINDS])

export const InboxQuerySchema = Type.Object(
  {
    kind: Type.Optional(Type.Enum([...INBOX_KINDS], { description: 'Only entries of this kind' })),
    ...pageQuery,
  },
  { additionalProperties: false },
)

const InboxEntrySchema = Type.Object({
  kind,
  since: timestamp,
  id: Type.String({ description: 'Unique within the kind; of an event its id' }),
  user_id: nullable(Type.String()),
  email: nullable(Type.String()),
  name: nullable(Type.String()),
  payment_id: nullable(Type.String()),
  amount: nullable(Type.Integer({ description: 'Whole dinars' })),
  detail: nullable(
    Type.String({
      description: 'What differs, or what failed; of mail its kind and what failed',
      examples: ['amount: ours is 2000, the provider says 50'],
    }),
  ),
  next_act: Type.Enum([...NEXT_ACTS], { description: 'As the audit trail names it' }),
})

export const InboxSchema = Type.Object({
  counts: Type.Object(
    Object.fromEntries(INBOX_KINDS.map((kind) => [kind, Type.Integer({ maximum: COUNTED_MAX })])),
    { description: `Of each kind; ${COUNTED_MAX} means so many or more` },
  ),
  data: Type.Array(InboxEntrySchema),
  next_cursor: nextCursor,
})

nameSchemas({ InboxKind: kind, InboxEntry: InboxEntrySchema, Inbox: InboxSchema })

type InboxEntry = Awaited<ReturnType<typeof readInbox>>['entries'][number]

export function viewInboxEntry(entry: InboxEntry): Static<typeof InboxEntrySchema> {
  const { kind, since, id, userId, email, name, paymentId, amount, detail, nextAct } = entry
  return {
    ...{ kind, since: toTimestamp(since), id, user_id: userId, email, name },
    ...{ payment_id: paymentId, amount, detail, next_act: nextAct },
  }
}
