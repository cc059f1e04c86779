// The shapes of the inbox.
import { type Static, Type } from 'typebox'
import { nextCursor, pageQuery } from '../acts/page.js'
import { toTimestamp } from '../core/instant.js'
import { nameSchemas, nullable, object, query, timestamp } from '../http/schemas.js'
import { COUNTED_MAX, INBOX_KINDS } from './inbox.sql.js'
import { type InboxEntry, NEXT_ACTS } from './next-act.js'

const kind = Type.Enum([...INBOX_KINDS])

export const InboxQuerySchema = query({
  kind: Type.Optional(Type.Enum([...INBOX_KINDS], { description: 'Only entries of this kind' })),
  ...pageQuery,
})

export const InboxEntrySchema = object('InboxEntry', {
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
      description:
        'What differs, or what failed; of mail the kind of the newest and what failed; of an open ' +
        'transfer its reference',
      examples: ['amount: ours is 2000, the provider says 50'],
    }),
  ),
  other_payment_id: nullable(
    Type.String({
      description:
        'Of a second payment the one before it; of a transfer a payment that the same file was sent for',
    }),
  ),
  count: Type.Integer({ description: 'How many mails failed; of other kinds 1' }),
  next_act: Type.Enum([...NEXT_ACTS], { description: 'As the audit trail names it' }),
})

export const InboxSchema = object('Inbox', {
  counts: Type.Object(
    Object.fromEntries(INBOX_KINDS.map((kind) => [kind, Type.Integer({ maximum: COUNTED_MAX })])),
    { description: `Of each kind; ${COUNTED_MAX} means so many or more` },
  ),
  data: Type.Array(InboxEntrySchema),
  next_cursor: nextCursor,
})

nameSchemas({ InboxKind: kind })

export function viewInboxEntry(entry: InboxEntry): Static<typeof InboxEntrySchema> {
  const { kind, since, id, userId, email, name, paymentId, amount, detail, nextAct } = entry
  const { otherPaymentId, count } = entry
  return {
    ...{ kind, since: toTimestamp(since), id, user_id: userId, email, name },
    ...{ payment_id: paymentId, amount, detail, other_payment_id: otherPaymentId, count, next_act: nextAct },
  }
}
