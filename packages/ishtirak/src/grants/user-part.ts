// Granted days among everything known of a user, newest first.
import { Type } from 'typebox'
import type { UserPart } from '../acts/file-parts.js'
import { describeGrant } from '../core/event.js'
import { toTimestamp } from '../core/instant.js'
import type { Queryable } from '../database/database.js'
import { EventGrantSchema } from '../events/schemas.js'
import { nullable, object, timestamp } from '../http/schemas.js'
import { grantsOfUser } from '../ledger/grants.sql.js'

/** As many as fit on a screen. The user's timeline has all. */
const SHOWN_MAX = 50

const GrantSchema = object('Grant', {
  ...EventGrantSchema.properties,
  granted_at: timestamp,
  granted_by: nullable(Type.String()),
  why: nullable(Type.String()),
  operation_id: nullable(Type.String()),
})

type Grants = Awaited<ReturnType<typeof grantsOfUser>>

export function grantPart({ database }: { readonly database: Queryable }): UserPart<Grants> {
  return {
    key: 'grants',
    schema: Type.Array(GrantSchema, { description: 'Time that no payment bought, newest first' }),
    load: ({ userId }) => grantsOfUser(database, userId, SHOWN_MAX),
    view: (grants) =>
      grants.map((grant) => ({
        ...describeGrant(grant),
        ...{ granted_at: toTimestamp(grant.grantedAt), granted_by: grant.by, why: grant.why },
        operation_id: grant.operationId,
      })),
    originInWords: ({ say }, grants, time) => {
      if (time.by === 'gap') return null
      const grant = grants.find(({ id }) => id === time.id)
      // A piece of several grants belongs to none of them alone.
      if (!grant || grant.by === null || grant.days !== time.days) return null
      return say('grantedBy', { name: grant.by, why: grant.why ?? '' })
    },
  }
}
