// One code is made invalid by itself: it is typed in, and found by its hash.
import { act, actTexts } from '../acts/act.js'
import { auditEntry } from '../acts/audit.sql.js'
import { BillingError } from '../core/error.js'
import { toTimestamp } from '../core/instant.js'
import { CODES, showBatch } from './batches.js'
import { findOneCode, revokeOne } from './batches.sql.js'
import type { CodesDeps } from './code-deps.js'
import { CodeBatchSchema, RevokedCodeSchema } from './code-schemas.js'
import { hashesOf } from './typed-code.js'
import { codesWords } from './words.js'

export const revokeCode = act<CodesDeps>().decides({
  name: 'codes.revoke_code',
  roles: [],
  on: CODES,
  operationId: 'revokeCode',
  summary: 'Make one code invalid; what was bought with it stays',
  description: 'The answer is its batch. 409 where the code is revoked already, 404 for no code of ours.',
  input: RevokedCodeSchema,
  secret: ['code'],
  asksByPost: { bodyLimit: 16 * 1024 },
  refuses: ['already_revoked'],
  answer: CodeBatchSchema,
  texts: actTexts(codesWords, 'revoke_code'),
  form: {
    asks: 'code',
    wrongFields: ({ code }) => (code === 'not_found' ? ['code'] : undefined),
    isPossible: ({ codeKeys }) => codeKeys.length > 0,
    fields: async (_pages, { say }) => [{ name: 'code', label: say('codeTyped'), type: 'text', value: '' }],
  },
  load: async (deps, { input }) => ({ version: 0, code: await requireCode(deps, input.code) }),
  decide: ({ code }) => {
    const { revokedAt } = code
    if (revokedAt === null) return code
    throw new BillingError('already_revoked', { extra: { revoked_at: toTimestamp(revokedAt) } })
  },
  save: async (deps, { by }, { decision: { hash, batchId }, now }) => {
    const after = { batch_id: batchId, revoked_at: toTimestamp(now) }
    const audit = auditEntry(deps.ids, { ...by, act: 'codes.revoke_code' }, { after, now })
    return (await revokeOne(deps.database, { hash, now, audit })) ? 'saved' : 'stale'
  },
  preview: ({ facts: { code } }) => ({
    changes: [{ what: 'codesLeft', before: String(code.left), after: '0' }],
    detail: null,
  }),
  show: async (deps, { input }) => {
    // As it was sent, which has passed the schema.
    const { code } = input as { readonly code: string }
    return showBatch(deps, (await requireCode(deps, code)).batchId)
  },
})

/** Throws `not_found`. */
async function requireCode({ database, codeKeys }: CodesDeps, typed: string) {
  const code = await findOneCode(database, hashesOf(codeKeys, typed))
  if (!code) throw new BillingError('not_found', { extra: { typed_code: typed } })
  return code
}
