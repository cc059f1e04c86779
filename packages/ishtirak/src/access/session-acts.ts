// Who is signed in to the console: what is said of it, and how an owner ends a session.
import { Type } from 'typebox'
import { type ActDeps, act, actTexts } from '../acts/act.js'
import type { Preview } from '../acts/preview.js'
import { reading } from '../acts/reading.js'
import { WhySchema } from '../acts/reason.js'
import { NO_USER, type Subject } from '../acts/subject.js'
import { BillingError } from '../core/error.js'
import { toTimestamp } from '../core/instant.js'
import { type OperatorSession, ROLES } from '../core/role.js'
import type { Database } from '../database/database.js'
import { object, timestamp } from '../http/schemas.js'
import { ActSchema } from '../ledger/user-acts.sql.js'
import { listSessions, revokeSession, viewSession } from './sessions.js'
import { accessWords } from './words.js'

export interface SessionActDeps extends ActDeps {
  readonly database: Database
}

export const roleSchema = Type.String({
  description: `${ROLES.join(', ')}, or one of OPERATOR_ROLES`,
  examples: [...ROLES],
})

const OperatorSessionSchema = object('OperatorSession', {
  session_id: Type.String({ examples: ['ops_01jd4v0w2c0000000000000000'] }),
  operator: Type.String(),
  role: roleSchema,
  signed_in_by: Type.Enum(['key', 'oidc']),
  created_at: timestamp,
  expires_at: timestamp,
})

export const OperatorSessionsSchema = object('OperatorSessions', {
  data: Type.Array(OperatorSessionSchema, { description: 'Those that are not over, newest first' }),
  audit: Type.Array(ActSchema, {
    description: 'What operators did that is about no single user: sign-ins, refusals, exports; newest first',
  }),
})

export const listOperatorSessions = reading<SessionActDeps>().reads({
  path: '/sessions',
  operationId: 'listOperatorSessions',
  summary: 'Who is signed in to the console',
  description: 'One whose key or issuer is no longer configured is listed until it ends, and works no more.',
  answer: OperatorSessionsSchema,
  command: { usage: 'operators sessions', show: ({ data, ...rest }) => ({ sessions: data, ...rest }) },
  read: async (deps) => {
    const { sessions, acts } = await listSessions(deps)
    return { data: sessions.map(viewSession), audit: acts }
  },
})

const SESSION: Subject<SessionActDeps> = {
  name: 'session',
  path: '/sessions/:session_id',
  params: Type.Object({ session_id: Type.String({ maxLength: 100 }) }),
  command: { group: 'operators', argument: 'session' },
  about: async () => ({ userId: NO_USER }),
  page: () => '/console/operators',
}

export const revokeOperatorSession = act<SessionActDeps>().does({
  name: 'operator.revoke',
  roles: [],
  on: SESSION,
  operationId: 'revokeOperatorSession',
  summary: 'End a session of the console',
  input: WhySchema,
  refuses: ['already_revoked'],
  answer: OperatorSessionSchema,
  texts: actTexts(accessWords, 'revoke'),
  run: async (deps, { id, by }) => viewSession(await revokeSession(deps, id, by)),
  preview: async (deps, { id }): Promise<Preview<OperatorSession>> => {
    const detail = (await listSessions(deps)).sessions.find((session) => session.id === id)
    if (!detail) throw new BillingError('not_found', { extra: { session_id: id } })
    const until = toTimestamp(detail.expiresAt)
    // A session has no version: it is there or not.
    return { version: 0, changes: [{ what: 'session', before: until, after: null }], detail }
  },
  // The session is gone; the trail has it as it was answered.
  show: async (_deps, _call, ended, earlier) => earlier?.after ?? ended,
  form: {
    inWords: ({ formats }, { say, locale }, { detail: { operator, expiresAt } }) => ({
      changes: [
        {
          name: say('sessionOf', { name: operator.name }),
          before: say('sessionUntil', { end: formats.moment(expiresAt, locale) }),
          after: say('sessionOver'),
        },
      ],
    }),
  },
})
