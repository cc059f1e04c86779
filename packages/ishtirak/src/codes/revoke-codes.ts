// Operators revoke a batch of codes. What was bought with a code stays.
import { act, change, WhySchema } from '../acts/act.js'
import { auditEntry } from '../acts/audit.sql.js'
import { BillingError } from '../core/error.js'
import { toTimestamp } from '../core/instant.js'
import { BATCH, type CodesDeps, showBatch } from './batches.js'
import { revoke } from './batches.sql.js'
import { CodeBatchSchema } from './code-schemas.js'

export const revokeCodes = act<CodesDeps>()({
  name: 'codes.revoke',
  rank: 'destructive',
  roles: [],
  on: BATCH,
  operationId: 'revokeCodes',
  summary: 'Make all codes of a batch invalid; what was bought with one stays',
  description: 'An open checkout with one of them can still be paid. 409 when the batch is revoked already.',
  input: WhySchema,
  refuses: ['already_revoked'],
  answer: { schema: CodeBatchSchema, read: (deps, { id }) => showBatch(deps, id) },
  plan: async ({ database, clock, ids }, { id, by }) => {
    const { batch_id, revoked_at, left } = await showBatch({ database }, id)
    if (revoked_at !== null) throw new BillingError('already_revoked', { extra: { revoked_at } })
    return {
      version: 0,
      changes: [change.count('codesLeft', left, 0)],
      save: async () => {
        const now = clock.now()
        const audit = auditEntry(ids, by, { after: { batch_id, revoked_at: toTimestamp(now) }, now })
        return (await revoke(database, id, { audit, now })) ? 'saved' : 'stale'
      },
    }
  },
})
