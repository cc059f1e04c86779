// One user as the operator sees them, the end of their access (fraud), and the search: one word, looked up wherever an
// operator may have it from: a user's id or e-mail, a payment's id, the provider's checkout id, a receipt's number. Exact
// hits only, each through an index.
import { BillingError } from '../core/error.js'
import type { Payment } from '../core/payment.js'
import { readReceiptNumber } from '../core/receipt.js'
import { decideEnd } from '../core/refund.js'
import { statusAt } from '../core/subscription.js'
import { type Queryable, statement } from '../database/database.js'
import { instant, text } from '../database/rows.js'
import type { By } from '../payments/audit.js'
import { PAYMENT_COLUMNS, parsePayment } from '../payments/payments.sql.js'
import { type SaveDeps, saveByHand } from '../payments/save.js'
import { FACT_COLUMNS, parseUser } from '../payments/users.sql.js'
import { viewRows } from '../payments/views.js'
import { actsOnUser, newestPayments } from './payments.sql.js'
import { FoundUserSchema } from './schemas.js'

/** Everything known of one user: the newest payments and acts. */
export type UserFile = Awaited<ReturnType<typeof showUser>>

/** What fits on a screen; the rest is read with `payments list --user`. */
const SHOWN_MAX = 50

/** Throws `not_found`. */
export async function showUser(deps: SaveDeps, userId: string) {
  const now = deps.clock.now()
  const user = await load(deps, userId)
  const wanted = { userId, status: null, limit: SHOWN_MAX }
  return {
    user,
    subscription: statusAt(user.subscription, now, deps.rules),
    payments: await newestPayments(deps.database, wanted, now),
    audit: await actsOnUser(deps.database, userId, SHOWN_MAX),
  }
}

/** Ends their access now. What was paid stays paid. Throws `not_found`, or `conflict` when there is no access to end. */
export async function endUser(deps: SaveDeps, userId: string, by: By): Promise<UserFile> {
  await saveByHand(deps, { ...by, act: 'user.end' }, async (now) => {
    const user = await load(deps, userId)
    const after = decideEnd(user.subscription, now, deps.rules)
    if (!after) throw new BillingError('conflict')
    return { userId, user, payment: null, after }
  })
  return showUser(deps, userId)
}

const selectUser = statement(
  'operator.user',
  `select ${FACT_COLUMNS}, u.user_id, u.created_at from users u where u.user_id = $1`,
)

async function load({ database }: Pick<SaveDeps, 'database'>, userId: string) {
  const [row] = await database.query(selectUser, [userId])
  if (!row) throw new BillingError('not_found', { extra: { user_id: userId } })
  return { ...parseUser(row), userId: text(row, 'user_id'), createdAt: instant(row, 'created_at') }
}

/** White space around the word comes from copying it. */
export async function search({ database }: { readonly database: Queryable }, typed: string) {
  const word = typed.trim()
  const [users, payments] = await Promise.all([
    findUsersByWord(database, word),
    findPaymentsByWord(database, word, readReceiptNumber(word)),
  ])
  return { users, payments }
}

/** Several users may share an address, and one checkout may be reported for several users. */
const HITS_MAX = 20

const selectUsers = statement(
  'operator_search.users',
  `select user_id, email, name from users where user_id = $1
    union all
   (select user_id, email, name from users
     where lower(email) = lower($1) and user_id <> $1 order by user_id limit ${HITS_MAX})`,
)

export async function findUsersByWord(database: Queryable, word: string) {
  return viewRows(FoundUserSchema, await database.query(selectUsers, [word]))
}

const selectPayments = statement(
  'operator_search.payments',
  `select ${PAYMENT_COLUMNS} from payments p where p.id = $1
    union all
   (select ${PAYMENT_COLUMNS} from payments p where p.checkout_id = $1 and p.id <> $1 limit ${HITS_MAX})
    union all
   select ${PAYMENT_COLUMNS}
     from receipts r join payments p on p.user_id = r.user_id and p.id = r.payment_id
    where r.series = $2 and r.number = $3::int`,
)

export async function findPaymentsByWord(
  database: Queryable,
  word: string,
  receipt: { readonly series: string; readonly number: number } | null,
): Promise<readonly Payment[]> {
  const found = [word, receipt?.series ?? null, receipt?.number ?? null]
  return (await database.query(selectPayments, found)).map(parsePayment)
}
