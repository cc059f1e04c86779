// Who is signed in to the console: what the operator's API says of it, and how an owner ends a session. A part of `OPERATIONS`.
import { Type } from 'typebox'
import { acts, reads } from '../acts/operation.js'
import { WhySchema } from '../acts/reason.js'
import { toTimestamp } from '../core/instant.js'
import { type OperatorSession, ROLES } from '../core/role.js'
import { nameSchemas, timestamp } from '../http/schemas.js'
import { ActSchema } from '../ledger/user-acts.sql.js'

const OperatorSessionSchema = Type.Object({
  session_id: Type.String({ examples: ['ops_01jd4v0w2c0000000000000000'] }),
  operator: Type.String(),
  role: Type.Enum([...ROLES]),
  signed_in_by: Type.Enum(['key', 'oidc']),
  created_at: timestamp,
  expires_at: timestamp,
})

const OperatorSessionsSchema = Type.Object({
  data: Type.Array(OperatorSessionSchema, { description: 'Those that are not over, newest first' }),
  audit: Type.Array(ActSchema, {
    description: 'What operators did that is about no single user: sign-ins, refusals, exports; newest first',
  }),
})

export const SESSION_OPERATIONS = {
  listOperatorSessions: reads(
    '/sessions',
    'Who is signed in to the console',
    {
      description:
        'One whose key or issuer is no longer configured is listed until it ends, and works no more.',
    },
    OperatorSessionsSchema,
  ),
  revokeOperatorSession: acts(
    '/sessions/:session_id/revoke',
    'End a session of the console',
    { params: Type.Object({ session_id: Type.String({ maxLength: 100 }) }), body: WhySchema },
    OperatorSessionSchema,
    ['already_revoked'],
  ),
}

nameSchemas({ OperatorSession: OperatorSessionSchema, OperatorSessions: OperatorSessionsSchema })

export function viewSession({ id, operator, signedInBy, createdAt, expiresAt }: OperatorSession) {
  return {
    session_id: id,
    operator: operator.name,
    role: operator.role,
    signed_in_by: signedInBy,
    created_at: toTimestamp(createdAt),
    expires_at: toTimestamp(expiresAt),
  }
}
