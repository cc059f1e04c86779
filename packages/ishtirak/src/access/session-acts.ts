// Sessions of the console: the list of them, and the act that ends one.
import { Type } from 'typebox'
import { act, change, WhySchema } from '../acts/act.js'
import { list } from '../acts/list.js'
import { NO_USER, type Subject } from '../acts/subject.js'
import { type OperatorSession, ROLES } from '../core/role.js'
import { object, timestamp, viewAs } from '../http/schemas.js'
import { type AccessDeps, endSession, listSessions, whyEnded } from './sessions.js'

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

function viewSession({ id: session_id, operator: { name: operator, role }, ...session }: OperatorSession) {
  return viewAs(OperatorSessionSchema, { ...session, session_id, operator, role })
}

export const sessionList = list<AccessDeps>()({
  path: '/sessions',
  operationId: 'listOperatorSessions',
  summary: 'Who is signed in to the console, newest first',
  description:
    'A session whose key or issuer is no longer configured does not work, and is listed until its end.',
  item: OperatorSessionSchema,
  title: 'OperatorSessions',
  isWhole: true,
  command: {
    usage: 'operators sessions',
    rows: 'sessions',
    columns: ['session_id', 'operator', 'role', 'signed_in_by', 'created_at', 'expires_at'],
  },
  read: async (deps) => ({ items: await listSessions(deps), nextCursor: null }),
  view: () => viewSession,
})

const SESSION: Subject<AccessDeps> = {
  name: 'session',
  path: '/sessions/:session_id',
  params: Type.Object({ session_id: Type.String({ maxLength: 100 }) }),
  command: { group: 'operators', argument: 'session' },
  about: async () => ({ userId: NO_USER }),
  page: () => '/console/operators',
}

export const revokeOperatorSession = act<AccessDeps>()({
  name: 'operator.revoke',
  roles: [],
  on: SESSION,
  operationId: 'revokeOperatorSession',
  summary: 'End a session of the console',
  description: 'Its operator may sign in again. 409 when it is revoked already.',
  input: WhySchema,
  refuses: ['already_revoked'],
  // The session is deleted, so a repetition is answered from the audit trail.
  answer: {
    schema: OperatorSessionSchema,
    read: async (_deps, _call, ended, earlier) => earlier?.after ?? ended,
  },
  plan: async (deps, { id, by }) => {
    const session = (await listSessions(deps)).find((one) => one.id === id)
    if (!session) throw await whyEnded(deps, id)
    return {
      version: 0,
      changes: [change.instant('session', session.expiresAt, null, session.operator.name)],
      save: async () => {
        const ended = viewSession(session)
        return (await endSession(deps, id, by, ended)) ? ended : 'stale'
      },
    }
  },
})
