// The schemas of the inbox. Its kinds come from the capabilities.
import { Type } from 'typebox'
import { type InboxKind, URGENCIES } from '../acts/inbox-kind.js'
import { toTimestamp } from '../core/instant.js'
import { nullable, object, timestamp } from '../http/schemas.js'
import { consoleSay } from '../i18n/console.js'
import { codeInWords } from '../pages/console-words.js'
import type { InboxEntry } from './inbox.js'
import { COUNTED_MAX } from './inbox.sql.js'

const namesOf = (kinds: readonly InboxKind[]) => kinds.map(({ name }) => name)

export const inboxFilter = (kinds: readonly InboxKind[]) =>
  Type.Object({
    kind: Type.Optional(Type.Enum(namesOf(kinds), { description: 'Only entries of this kind' })),
  })

export const inboxEntry = (kinds: readonly InboxKind[]) =>
  object('InboxEntry', {
    kind: Type.Enum(namesOf(kinds), { title: 'InboxKind', description: describe(kinds, titleOf) }),
    urgency: Type.Enum([...URGENCIES], {
      description:
        '`now`: money waits, or a customer who paid may be without access; `soon`: money is where it ' +
        'should not be; `later`: the rest',
    }),
    waits_since: timestamp,
    id: Type.String({ description: 'Unique within the kind; of an event its id' }),
    user_id: nullable(Type.String()),
    email: nullable(Type.String()),
    name: nullable(Type.String()),
    payment_id: nullable(Type.String()),
    amount: nullable(Type.Integer({ description: 'Whole dinars' })),
    detail: nullable(
      Type.String({
        description: describe(kinds, ({ detailIs }) => detailIs),
        examples: ['amount: ours is 2000, the provider says 50'],
      }),
    ),
    other_payment_id: nullable(Type.String({ description: describe(kinds, ({ otherIs }) => otherIs) })),
    count: Type.Integer({ description: 'How many mails failed; of other kinds 1' }),
    next_act: Type.Enum([...new Set(kinds.flatMap(({ nextActs }) => nextActs))], {
      description: 'The name of the act in the audit trail',
    }),
  })

export const inboxCountsSchema = (kinds: readonly InboxKind[]) =>
  Type.Object(
    Object.fromEntries(namesOf(kinds).map((name) => [name, Type.Integer({ maximum: COUNTED_MAX })])),
    { description: `Of each kind; ${COUNTED_MAX} means so many or more` },
  )

function titleOf({ name }: InboxKind): string {
  return codeInWords({ say: consoleSay('en') }, 'kind', name)
}

function describe(kinds: readonly InboxKind[], of: (kind: InboxKind) => string | undefined): string {
  const said = kinds.map((kind) => [kind.name, of(kind)] as const)
  return said.flatMap(([name, text]) => (text === undefined ? [] : [`\`${name}\`: ${text}`])).join('; ')
}

export function viewInboxEntry({ kind, ...entry }: InboxEntry) {
  const { name, urgency } = kind
  return { ...entry, kind: name, urgency, waits_since: toTimestamp(entry.waits_since) }
}
