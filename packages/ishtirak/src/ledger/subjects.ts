// What acts of operators are on, where it is a payment or a user. Their answer is everything known of it.
import { Type } from 'typebox'
import type { LoadedParts } from '../acts/file-parts.js'
import type { Subject, SubjectFile } from '../acts/subject.js'
import { plainName } from '../core/name.js'
import type { Payment } from '../core/payment.js'
import type { Subscription } from '../core/subscription.js'
import type { Queryable } from '../database/database.js'
import { requirePayment, requireUser } from './load.js'
import { UserIdSchema } from './schemas.js'
import type { UserRecord } from './users.sql.js'

export interface SubjectDeps {
  readonly database: Queryable
  readonly files: {
    readonly payment: SubjectFile<SubjectPayment>
    readonly user: SubjectFile<SubjectUser>
  }
}

/** What is known of a payment, as far as acts on it ask. */
export interface SubjectPayment {
  readonly payment: Payment
  readonly audit: readonly { readonly act: string }[]
  /** What capabilities add, by its key. */
  readonly parts: LoadedParts
}

/** What is known of a user, as far as acts on them ask. */
export interface SubjectUser {
  readonly user: UserRecord
  readonly subscription: Subscription
  readonly parts: LoadedParts
}

export const PAYMENT: Subject<SubjectDeps, SubjectPayment> = {
  name: 'payment',
  path: '/payments/:payment_id',
  params: Type.Object({ payment_id: Type.String({ maxLength: 100 }) }),
  command: { group: 'payments', argument: 'payment' },
  about: async (deps, paymentId) => {
    const { payment, user } = await requirePayment(deps, paymentId)
    const { userId } = payment
    return { userId, paymentId, label: `${plainName(user.name ?? user.email ?? userId)} · ${paymentId}` }
  },
  file: ({ files }) => files.payment,
}

/** Of readings below `/users/:user_id`, too. */
export const UserParamsSchema = Type.Object({ user_id: UserIdSchema })

export const USER: Subject<SubjectDeps, SubjectUser> = {
  name: 'user',
  path: '/users/:user_id',
  params: UserParamsSchema,
  command: { group: 'users', argument: 'user' },
  about: async (deps, userId) => {
    const { name, email } = await requireUser(deps, userId)
    return { userId, label: plainName(name ?? email ?? userId) }
  },
  file: ({ files }) => files.user,
}
