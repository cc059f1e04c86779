// Lists of secrets: the first is used, those behind it are old and accepted until nothing uses them. When one
// was last used stands in the log, at most once an hour, and in a metric.
import { HOUR, type Instant } from '../core/instant.js'
import type { Clock } from './clock.js'
import type { Log } from './log.js'

/** Tells that a secret of the list was accepted; most are not old, and then nothing happens. */
export type NoteUse = (list: string, secret: string) => void

export interface OldSecret {
  /** The variable that it stands in. */
  readonly list: string
  /** Whose key it is; null where the secrets of the list belong to no one. */
  readonly holder: string | null
  /** Of how many, counted from 1: of the list, or of the holder. */
  readonly place: number
  readonly of: number
  readonly secret: string
}

export function items(list: string | undefined): readonly string[] {
  return list === undefined ? [] : list.split(',').map((item) => item.trim())
}

export function describeSecrets(
  list: string,
  holder: string | null,
  secrets: readonly string[],
): readonly OldSecret[] {
  return secrets.map((secret, index) => ({ list, holder, secret, place: index + 1, of: secrets.length }))
}

export function isTwice(secrets: readonly string[]): boolean {
  return new Set(secrets).size < secrets.length
}

/** `uses`: when this process last accepted each; null: not since it started. */
export function watchOldSecrets(
  oldSecrets: readonly OldSecret[],
  { clock, log }: { readonly clock: Clock; readonly log: Log },
) {
  const watched = oldSecrets.map(({ secret, ...named }) => ({
    ...{ named, secret },
    usedAt: null as Instant | null,
    loggedAt: Number.NEGATIVE_INFINITY,
  }))
  const noteUse: NoteUse = (list, secret) => {
    const one = watched.find(({ named, secret: old }) => named.list === list && old === secret)
    if (!one) return
    one.usedAt = clock.now()
    if (one.usedAt - one.loggedAt < HOUR) return
    one.loggedAt = one.usedAt
    log.info(one.named, 'an old secret was used')
  }
  return { noteUse, uses: () => watched.map(({ named, usedAt }) => ({ ...named, usedAt })) }
}
