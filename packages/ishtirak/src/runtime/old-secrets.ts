// Lists of secrets: the first is used, those behind it are old and accepted until nothing uses them.
import { keyedDigest } from './secret.js'

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
  /** Names it where it is stored, and opens nothing. */
  readonly fingerprint: string
}

export function items(list: string | undefined): readonly string[] {
  return list === undefined ? [] : list.split(',').map((item) => item.trim())
}

export function describeSecrets(
  list: string,
  holder: string | null,
  secrets: readonly string[],
): readonly OldSecret[] {
  return secrets.map((secret, index) => ({
    ...{ list, holder, secret },
    ...{ place: index + 1, of: secrets.length },
    fingerprint: keyedDigest(`fingerprint of ${list}`, secret).slice(0, FINGERPRINT),
  }))
}

/** 36 bits: enough to tell a few secrets apart. */
const FINGERPRINT = 6

export function isTwice(secrets: readonly string[]): boolean {
  return new Set(secrets).size < secrets.length
}
