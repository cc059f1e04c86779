// An operator revokes a single code: they type it, and it is found by its hash.
import { act } from '../acts/act.js'
import { auditEntry } from '../acts/audit.sql.js'
import { change } from '../acts/preview.js'
import { BillingError } from '../core/error.js'
import { toTimestamp } from '../core/instant.js'
import { CODES, showBatch } from './batches.js'
import { findOneCode, revokeOne } from './batches.sql.js'
import type { CodesDeps } from './code-deps.js'
import { CodeBatchSchema, RevokedCodeSchema } from './code-schemas.js'
import { hashesOf } from './typed-code.js'

export const revokeCode = act<CodesDeps>()({
  name: 'codes.revoke_code',
  rank: 'destructive',
  roles: [],
  on: CODES,
  operationId: 'revokeCode',
  summary: 'Make one code invalid; what was bought with it stays',
  description: 'The answer is its batch. 409 where the code is revoked already, 404 for no code of ours.',
  input: RevokedCodeSchema,
  secret: ['code'],
  asksByPost: true,
  refuses: ['already_revoked'],
  answer: {
    schema: CodeBatchSchema,
    read: async (deps, { input }) => showBatch(deps, (await requireCode(deps, input.code)).batchId),
  },
  isOffered: (_file, { codeKeys }) => codeKeys.length > 0,
  fields: async (_pages, { say }) => [{ name: 'code', label: say('codeTyped'), type: 'text', value: '' }],
  plan: async (deps, { input, by }) => {
    const { hash, batchId, left, revokedAt } = await requireCode(deps, input.code)
    if (revokedAt !== null)
      throw new BillingError('already_revoked', { extra: { revoked_at: toTimestamp(revokedAt) } })
    return {
      version: 0,
      changes: [change.count('codesLeft', left, 0)],
      save: async () => {
        const now = deps.clock.now()
        const after = { batch_id: batchId, revoked_at: toTimestamp(now) }
        const audit = auditEntry(deps.ids, by, { after, now })
        return (await revokeOne(deps.database, { hash, now, audit })) ? 'saved' : 'stale'
      },
    }
  },
})

/** Throws `not_found`. */
async function requireCode({ database, codeKeys }: CodesDeps, typed: string) {
  const code = await findOneCode(database, hashesOf(codeKeys, typed))
  if (!code) throw new BillingError('not_found', { extra: { typed_code: typed } })
  return code
}
