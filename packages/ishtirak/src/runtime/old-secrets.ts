// Lists of secrets: the first one is used, later ones are old and accepted until they are unused. The last
// use of each is in the log, at most once an hour, and in a metric.
import { HOUR, type Instant } from '../core/instant.js'
import type { Clock } from './clock.js'
import type { Log } from './log.js'

/** Reports that a secret of the list was accepted. Most are not old, and then it does nothing. */
export type NoteUse = (list: string, secret: string) => void

export type OldSecret = ReturnType<typeof describeSecrets>[number]

export function items(list: string | undefined): readonly string[] {
  return list === undefined ? [] : list.split(',').map((item) => item.trim())
}

/**
 * `list` is the variable with the secrets, and `holder` the operator whose keys they are; null: no one's. A
 * `place` counts from 1.
 */
export function describeSecrets(list: string, holder: string | null, secrets: readonly string[]) {
  return secrets.map((secret, index) => ({ list, holder, secret, place: index + 1, of: secrets.length }))
}

export function isTwice(secrets: readonly string[]): boolean {
  return new Set(secrets).size < secrets.length
}

/** `uses`: when this process last accepted each secret; null: not since its start. */
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
