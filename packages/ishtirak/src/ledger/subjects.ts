// The subjects of operators' acts. An act answers with everything that is known of its subject.
import { Type } from 'typebox'
import type { LoadedParts } from '../acts/file-parts.js'
import type { Subject, SubjectFile } from '../acts/subject.js'
import type { Locale } from '../core/locale.js'
import { plainName } from '../core/name.js'
import type { Payment } from '../core/payment.js'
import type { Subscription } from '../core/subscription.js'
import type { Queryable } from '../database/database.js'
import type { Formats } from '../i18n/formats.js'
import { paymentTitle } from './labels.js'
import { requirePayment, requireUser } from './load.js'
import { PaymentFilterSchema, pageOfPayments } from './payment-list.js'
import { UserIdSchema } from './schemas.js'
import { type ListedUser, pageOfUsers, UserFilterSchema } from './user-list.js'
import type { UserRecord } from './users.sql.js'

export interface SubjectDeps {
  readonly database: Queryable
  readonly files: {
    readonly payment: SubjectFile<SubjectPayment>
    readonly user: SubjectFile<SubjectUser>
  }
}

export interface SubjectPayment {
  readonly payment: Payment
  readonly audit: readonly { readonly act: string }[]
  /** The parts that capabilities add, by key. */
  readonly parts: LoadedParts
}

export interface SubjectUser {
  readonly user: UserRecord
  readonly subscription: Subscription
  readonly parts: LoadedParts
}

export const PAYMENT: Subject<SubjectDeps, SubjectPayment> = {
  name: 'payment',
  path: '/payments/:payment_id',
  params: Type.Object({ payment_id: Type.String({ maxLength: 100 }) }),
  command: {
    ...{ group: 'payments', argument: 'payment' },
    columns: {
      reports: ['at', 'source', 'status', 'amount', 'currency', 'outcome', 'paid_at', 'paid_at_believed'],
      received: ['at', 'type', 'outcome', 'amount'],
      sent: ['at', 'type', 'sequence'],
    },
  },
  about: async (deps, paymentId) => {
    const { payment, user } = await requirePayment(deps, paymentId)
    const label = (formats: Formats, locale: Locale) => paymentTitle(formats, locale, { payment, user })
    return { userId: payment.userId, paymentId, label }
  },
  file: ({ files }) => files.payment,
  list: { filter: PaymentFilterSchema, find: pageOfPayments, idOf: ({ id }: Payment) => id },
}

/** Readings below `/users/:user_id` use it too. */
export const UserParamsSchema = Type.Object({ user_id: UserIdSchema })

export const USER: Subject<SubjectDeps, SubjectUser> = {
  name: 'user',
  path: '/users/:user_id',
  params: UserParamsSchema,
  command: {
    ...{ group: 'users', argument: 'user' },
    columns: { time: ['start', 'end', 'given_by', 'plan', 'id'] },
  },
  about: async (deps, userId) => {
    const { name, email } = await requireUser(deps, userId)
    return { userId, label: () => plainName(name ?? email ?? userId) }
  },
  isUser: true,
  file: ({ files }) => files.user,
  list: { filter: UserFilterSchema, find: pageOfUsers, idOf: ({ userId }: ListedUser) => userId },
}
