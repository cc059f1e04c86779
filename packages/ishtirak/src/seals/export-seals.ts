// The sealed books as lines of text, which `sha256sum` alone can check.
import { Type } from 'typebox'
import { type AuditDeps, recordAct } from '../acts/audit.sql.js'
import { reading } from '../acts/reading.js'
import { sendFile } from '../acts/send-file.js'
import type { Permission } from '../core/role.js'
import type { Database } from '../database/database.js'
import { query } from '../http/schemas.js'
import { sealPages } from './verify-books.js'

export interface ExportSealsDeps extends AuditDeps {
  readonly database: Database
}

const EXPORT = { name: 'books.export', roles: ['accountant'] } as const satisfies Permission

export const exportSeals = reading<ExportSealsDeps>()({
  ...EXPORT,
  path: '/books/seals',
  operationId: 'exportSeals',
  summary: 'The sealed books as text: in each line position, hash and content, to be checked with sha256sum',
  query: query({
    after: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1e15, description: 'Only what is sealed behind this position' }),
    ),
  }),
  answer: {
    description: 'UTF-8; personal data',
    content: { 'text/plain': { schema: Type.Unsafe<string>({ type: 'string' }) } },
  },
  command: { usage: 'books export', isFile: 'new' },
  read: async (deps, { query: { after = 0 }, operator, reply }) => {
    await recordAct(deps, { operator, act: EXPORT.name, reason: null }, { after: { after } })
    const content = linesBehind(deps.database, after)
    return sendFile(reply, { type: 'text/plain; charset=utf-8', name: 'sealed-books.txt', content })
  },
})

async function* linesBehind(database: Database, after: number): AsyncGenerator<string> {
  for await (const page of sealPages(database, after))
    yield page.map(({ position, hash, content }) => `${position} ${hash} ${content ?? ''}\n`).join('')
}
