// An operator who grants days during an outage, and what the database says of it afterwards: every
// acknowledged act is in the audit trail once, and gave its day once.
import { type Queryable, statement } from '../../packages/ishtirak/src/database/database.js'
import { OPERATOR_KEY } from '../support/operator.js'
import { PLATFORM_KEY } from '../support/platform.js'
import type { Audit } from './audit.js'
import { auditCalls, type CallKind, type SentCalls } from './calls.js'

/** Several acts meet on one user: each is decided on the user's version. */
const USERS = 20

/** The operator acts on users that are known. */
export async function rememberGranted(serviceUrl: string): Promise<void> {
  for (let n = 0; n < USERS; n++) {
    const { ok, status } = await fetch(`${serviceUrl}/api/v1/platform/users/granted-${n}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${PLATFORM_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `Granted ${n}` }),
    })
    if (!ok) throw new Error(`granted-${n} is answered ${status}`)
  }
}

export const GRANTS: CallKind = {
  name: 'grant',
  senders: 2,
  make: (operation, count) => ({
    path: `/api/v1/operator/users/granted-${count % USERS}/grant`,
    request: {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ days: 1, why: 'an outage', operation_id: operation }),
    },
  }),
}

const readActs = statement(
  'faults.acts',
  `select operation_id, (select sum(days) from grants) as days,
          (select count(*) from audit where act = 'user.grant') as entries
     from grants`,
)

export async function auditGrants(database: Queryable, sent: SentCalls): Promise<Audit> {
  const rows = await database.query(readActs)
  const [{ days, entries } = {}] = rows
  const operations = rows.map((row) => String(row.operation_id))
  return auditCalls(sent, { operations, counted: Math.max(Number(days ?? 0), Number(entries ?? 0)) })
}
