// A backup through the running service, which has the embedded database to itself. It is written to a file of the machine
// first: the database is not held while the network is awaited. The file has no name any more when the sending begins.
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Instant } from '../core/instant.js'
import type { Database } from '../database/database.js'
import { type AuditDeps, recordAct } from '../payments/audit.js'
import { backUpTo } from './backup-file.js'

export interface BackupDeps extends AuditDeps {
  readonly database: Database
}

export async function backUp(
  deps: BackupDeps,
  { operator }: { readonly operator: string },
): Promise<AsyncIterable<Uint8Array>> {
  const now = deps.clock.now()
  await recordAct(deps, { operator, act: 'database.backup', reason: null })
  return contentOf(deps, now)
}

/** Begins at once, with a part of the gzip that holds nothing: the caller sees that the answer is on its way. */
async function* contentOf(deps: BackupDeps, now: Instant): AsyncGenerator<Uint8Array> {
  yield gzipSync('')
  const file = await namelessBackup(deps, now)
  yield* file.createReadStream()
}

async function namelessBackup(deps: BackupDeps, now: Instant): Promise<FileHandle> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ishtirak-backup-'))
  try {
    const name = path.join(folder, 'backup.gz')
    await backUpTo(name, deps.database, now)
    return await open(name)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
