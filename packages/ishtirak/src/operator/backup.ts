// A backup through the running service, which has the embedded database to itself. It is written to a file of the machine
// first: the database is not held while the network is awaited. The file has no name any more when the sending begins.
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Instant } from '../core/instant.js'
import { recordAct } from '../payments/audit.sql.js'
import type { Parts } from '../payments/parts.js'
import { backUpTo } from './backup-file.js'

export async function backUp(
  parts: Parts,
  { operator }: { readonly operator: string },
): Promise<AsyncIterable<Uint8Array>> {
  const now = parts.clock.now()
  await recordAct(parts.database, {
    id: parts.ids.next('act', now),
    userId: '',
    actor: operator,
    act: 'database.backup',
    reason: null,
    paymentId: null,
    before: {},
    after: {},
    now,
  })
  return contentOf(parts, now)
}

/** Begins at once, with a part of the gzip that holds nothing: the caller sees that the answer is on its way. */
async function* contentOf(parts: Parts, now: Instant): AsyncGenerator<Uint8Array> {
  yield gzipSync('')
  const file = await namelessBackup(parts, now)
  yield* file.createReadStream()
}

async function namelessBackup(parts: Parts, now: Instant): Promise<FileHandle> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ishtirak-backup-'))
  try {
    const name = path.join(folder, 'backup.gz')
    await backUpTo(name, parts.database, now)
    return await open(name)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
