// Exports everything known of a person as one file, by API, by command and in the console. Each download is
// in the audit trail.
import { Type } from 'typebox'
import { type AuditDeps, recordAct } from '../acts/audit.sql.js'
import type { UserPart } from '../acts/file-parts.js'
import { BINARY_FILE, sendFile } from '../acts/files.js'
import { reading } from '../acts/reading.js'
import { toTimestamp } from '../core/instant.js'
import { mayDo, type Permission } from '../core/role.js'
import { type ReceiptDeps, readReceipt } from '../documents/receipt.js'
import { documentsOfPayments } from '../ledger/documents.sql.js'
import { requireUser } from '../ledger/load.js'
import { USER, UserParamsSchema } from '../ledger/subjects.js'
import type { UserRecord } from '../ledger/users.sql.js'
import { addressOf } from '../pages/console-frame.js'
import { Card, LinkButton } from '../pages/parts.js'
import { listProofs, proofContent } from '../transfers/proof.sql.js'
import { rowsOfUser } from './export.sql.js'
import { zipped } from './zip.js'

export type ExportDeps = ReceiptDeps & AuditDeps

const ZIP = {
  description: 'ZIP: `person.json`, the proofs and the documents as PDF; personal data',
  content: { 'application/zip': { schema: BINARY_FILE } },
}
const EXPORT: Permission = { name: 'user.export', roles: ['support'] }

export const exportUser = reading<ExportDeps>()({
  ...EXPORT,
  path: `${USER.path}/export`,
  operationId: 'exportUser',
  summary: 'Everything known of a person, as a ZIP with JSON and files',
  description:
    'JSON as it is stored, table by table. PDFs where receipts are printed. 404 for unknown users.',
  params: UserParamsSchema,
  answer: ZIP,
  command: { usage: 'users export <user>', isFile: 'new' },
  linkedOn: ({ params }) => addressOf('', 'users', params.user_id),
  read: async (deps, { params: { user_id: userId }, operator, reply }) => {
    const user = await requireUser(deps, userId)
    await recordAct(deps, { operator, act: EXPORT.name, reason: null }, { userId })
    const content = zipped(filesOf(deps, userId, user))
    return sendFile(reply, { type: 'application/zip', name: 'person.zip', content })
  },
})

/** The link to the export on the page of the user, and in their file. */
export const exportPart: UserPart<string> = {
  key: 'export',
  schema: Type.String({ description: 'Everything as a file, below the operator’s API' }),
  load: async ({ userId }) => userId,
  view: (userId) => `/users/${encodeURIComponent(userId)}/export`,
  card: ({ base }, { say, session }, userId) =>
    mayDo(session.operator, EXPORT) ? (
      <Card id="export" title={say('exportTitle')}>
        <p safe>{say('exportText')}</p>
        <p class="actions">
          <LinkButton href={`${addressOf(base, 'users', userId)}/export`} label={say('act_user.export')} />
        </p>
      </Card>
    ) : null,
}

async function* filesOf(deps: ExportDeps, userId: string, { locale }: UserRecord) {
  const { database, clock } = deps
  const rows = await rowsOfUser(database, userId)
  const known = { exported_at: toTimestamp(clock.now()), ...rows }
  yield { name: 'person.json', content: Buffer.from(JSON.stringify(known, null, 2)) }
  const idsOf = (part: string) => [...new Set(rows[part]?.map((row) => String(row.payment_id)))]
  for (const paymentId of idsOf('transfer_proofs')) {
    const proofs = await listProofs(database, { userId, paymentId })
    for (const proof of proofs.filter(({ erasedAt }) => erasedAt === null)) {
      const [, ending] = proof.type.split('/')
      const parts: Buffer[] = []
      for await (const part of proofContent(database, { userId, paymentId }, proof)) parts.push(part)
      yield { name: `proofs/${paymentId}-${proof.n}.${ending}`, content: Buffer.concat(parts) }
    }
  }
  const documents = await documentsOfPayments(database, userId, idsOf('documents'))
  for (const [paymentId, issued] of documents) {
    for (const { number } of issued) {
      const wish = { userId, paymentId, number, locale: locale ?? 'ar' }
      const { name, content } = await readReceipt(deps, wish, 'operator')
      if (content) yield { name: `documents/${name}`, content }
    }
  }
}
