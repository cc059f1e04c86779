// Watches which old secrets are still accepted. A request leaves an instant in memory; a job writes it down,
// once an hour for each secret, and so does a stop.
import { HOUR, type Instant } from '../core/instant.js'
import type { Queryable } from '../database/database.js'
import type { Clock } from '../runtime/clock.js'
import type { NoteUse, OldSecret } from '../runtime/old-secrets.js'
import { saveUse } from './old-secrets.sql.js'

interface Watched {
  readonly old: OldSecret
  usedAt: Instant | null
  /** Both of the last write. */
  savedAt: Instant | null
  savedUse: Instant | null
}

export type OldSecretWatch = ReturnType<typeof watchOldSecrets>

export function watchOldSecrets(oldSecrets: readonly OldSecret[], clock: Clock) {
  const lists = new Map<string, Map<string, Watched>>()
  for (const old of oldSecrets) {
    const list = lists.get(old.list) ?? new Map<string, Watched>()
    list.set(old.secret, { old, usedAt: null, savedAt: null, savedUse: null })
    lists.set(old.list, list)
  }
  const all = [...lists.values()].flatMap((list) => [...list.values()])
  const noteUse: NoteUse = (list, secret) => {
    const watched = lists.get(list)?.get(secret)
    if (watched) watched.usedAt = clock.now()
  }
  return {
    noteUse,
    /** Writes what is new, of `all` or of those whose last write is an hour old. Gives how many it wrote. */
    save: async (database: Queryable, which: 'all' | 'hourly'): Promise<number> => {
      const now = clock.now()
      const isDue = ({ savedAt, savedUse, usedAt }: Watched) =>
        savedAt === null || (usedAt !== savedUse && (which === 'all' || now - savedAt >= HOUR))
      const due = all.filter(isDue)
      for (const watched of due) {
        const { old, usedAt } = watched
        await saveUse(database, old, { now, usedAt })
        Object.assign(watched, { savedAt: now, savedUse: usedAt })
      }
      return due.length
    },
  }
}
