// Consumes of a limit during an outage, and what the database says of them afterwards: every acknowledged
// operation is there, and is counted once.
import { type Queryable, statement } from '../../packages/ishtirak/src/database/database.js'
import { PLATFORM_KEY } from '../support/platform.js'
import type { Audit } from './audit.js'
import { auditCalls, type CallKind, type SentCalls } from './calls.js'

/** Each may consume 500 on the free plan, more than their share of any run. */
const USERS = 400

export const CONSUMES: CallKind = {
  name: 'consume',
  senders: 8,
  make: (operation, count) => ({
    path: `/api/v1/platform/users/consumer-${count % USERS}/limits/storage_mb/consume`,
    request: {
      method: 'POST',
      headers: { authorization: `Bearer ${PLATFORM_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ operation_id: operation }),
    },
  }),
}

const readOperations = statement(
  'faults.operations',
  'select operation_id, (select sum(used) from usage) as used from usage_operations',
)

export async function auditConsumes(database: Queryable, sent: SentCalls): Promise<Audit> {
  const rows = await database.query(readOperations)
  const operations = rows.map((row) => String(row.operation_id))
  return auditCalls(sent, { operations, counted: Number(rows[0]?.used ?? 0) })
}
