// Operators revoke a batch of codes, or one code that they type. What was bought with a code stays.
import { type ActPlan, act } from '../acts/act.js'
import { type AuditEntry, auditEntry, type OperatorAct } from '../acts/audit.sql.js'
import { change } from '../acts/preview.js'
import { WhySchema } from '../acts/reason.js'
import { BillingError } from '../core/error.js'
import { type Instant, toTimestamp } from '../core/instant.js'
import { BATCH, CODES, type CodesDeps, showBatch } from './batches.js'
import { findOneCode, revoke } from './batches.sql.js'
import { CodeBatchSchema, RevokedCodeSchema } from './code-schemas.js'
import { hashesOf } from './typed-code.js'

const REVOKES = { rank: 'destructive', roles: [], refuses: ['already_revoked'] } as const

export const revokeCodes = act<CodesDeps>()({
  ...REVOKES,
  name: 'codes.revoke',
  on: BATCH,
  operationId: 'revokeCodes',
  summary: 'Make all codes of a batch invalid; what was bought with one stays',
  description: 'An open checkout with one of them can still be paid. 409 when the batch is revoked already.',
  input: WhySchema,
  answer: { schema: CodeBatchSchema, read: (deps, { id }) => showBatch(deps, id) },
  plan: async (deps, { id, by }) => {
    const batch = await showBatch(deps, id)
    return planToRevoke(deps, by, batch, (of) => revoke(deps.database, 'batch', { id, ...of }))
  },
})

/** The operator types the code, and it is found by its hash. */
export const revokeCode = act<CodesDeps>()({
  ...REVOKES,
  name: 'codes.revoke_code',
  on: CODES,
  operationId: 'revokeCode',
  summary: 'Make one code invalid; what was bought with it stays',
  description: 'The answer is its batch. 409 where the code is revoked already, 404 for no code of ours.',
  input: RevokedCodeSchema,
  secret: ['code'],
  answer: {
    schema: CodeBatchSchema,
    read: async (deps, { input }) => showBatch(deps, (await requireCode(deps, input.code)).batch_id),
  },
  isOffered: (_file, { codeKeys }) => codeKeys.length > 0,
  fields: async (_pages, { say }) => [{ name: 'code', label: say('codeTyped'), type: 'text', value: '' }],
  plan: async (deps, { input, by }) => {
    const code = await requireCode(deps, input.code)
    return planToRevoke(deps, by, code, (of) => revoke(deps.database, 'code', { id: code.hash, ...of }))
  },
})

/** Throws `already_revoked`. */
function planToRevoke(
  { clock, ids }: CodesDeps,
  by: OperatorAct,
  of: { readonly batch_id: string; readonly revoked_at: string | null; readonly left: number },
  save: (of: { readonly audit: AuditEntry; readonly now: Instant }) => Promise<boolean>,
): ActPlan {
  const { batch_id, revoked_at, left } = of
  if (revoked_at !== null) throw new BillingError('already_revoked', { extra: { revoked_at } })
  return {
    version: 0,
    changes: [change.count('codesLeft', left, 0)],
    save: async () => {
      const now = clock.now()
      const audit = auditEntry(ids, by, { after: { batch_id, revoked_at: toTimestamp(now) }, now })
      return (await save({ audit, now })) ? 'saved' : 'stale'
    },
  }
}

/** Throws `not_found`. */
async function requireCode({ database, codeKeys }: CodesDeps, typed: string) {
  const code = await findOneCode(database, hashesOf(codeKeys, typed))
  if (!code) throw new BillingError('not_found', { extra: { typed_code: typed } })
  return code
}
