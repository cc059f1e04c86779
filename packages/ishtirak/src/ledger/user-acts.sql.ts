// The audit trail as operators read it, and the lines about one user.
import { Type } from 'typebox'
import { type Queryable, statement } from '../database/database.js'
import { nullable, object, timestamp } from '../http/schemas.js'
import { viewRows } from './schemas.js'

export const ActSchema = object('AuditEntry', {
  id: Type.String(),
  at: timestamp,
  actor: Type.String(),
  act: Type.String({ examples: ['payment.refund'] }),
  why: nullable(Type.String()),
  payment_id: nullable(Type.String()),
  before: Type.Unknown(),
  after: Type.Unknown(),
})

export const ACT_COLUMNS = 'id, acted_at as at, actor, act, reason as why, payment_id, before, after'

const selectActsOfUser = statement(
  'operator.acts_on_user',
  `select ${ACT_COLUMNS} from audit where user_id = $1 order by id desc limit $2::int`,
)

export async function actsOnUser(database: Queryable, userId: string, limit: number) {
  return viewRows(ActSchema, await database.query(selectActsOfUser, [userId, limit]))
}
