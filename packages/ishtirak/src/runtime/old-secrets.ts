// Lists of secrets: the first is used, those behind it are old and accepted until nothing uses them.
import type { Environment, GatewaySettings } from './environment.js'
import { items, readOperatorKeys } from './operator-keys.js'
import { keyedDigest } from './secret.js'

/** Those whose items are secrets and nothing else. */
export const SECRET_LISTS = [
  'AUTH_JWT_SECRET',
  'PLATFORM_API_KEYS',
  'OPERATOR_OIDC_CLIENT_SECRET',
  'CODE_KEYS',
  'EVENTS_SECRETS',
] as const

/** Lists whose use is seen here. Which of EVENTS_SECRETS the platform checks, it alone knows. */
type OurList = Exclude<(typeof SECRET_LISTS)[number], 'EVENTS_SECRETS'>
type WatchedList = OurList | 'OPERATOR_KEYS' | GatewaySettings['oldKeys']

/** Tells that a secret of the list was accepted; most are not old, and then nothing happens. */
export type NoteUse = (list: WatchedList, secret: string) => void

export interface OldSecret {
  readonly list: WatchedList
  /** Whose key it is; null where the secrets of the list belong to no one. */
  readonly holder: string | null
  /** Of how many, counted from 1: of the list, or of the holder. */
  readonly place: number
  readonly of: number
  readonly secret: string
  /** Names it where it is stored, and opens nothing. */
  readonly fingerprint: string
}

export function oldSecretsOf(environment: Environment): readonly OldSecret[] {
  const operators = readOperatorKeys(environment.OPERATOR_KEYS)
  const names = [...new Set(operators.map(({ name }) => name))]
  const keysOf = (holder: string) => operators.flatMap(({ name, key }) => (name === holder ? [key] : []))
  const behindFirst = (list: OurList) => describe(list, null, items(environment[list])).slice(1)
  return [
    ...behindFirst('AUTH_JWT_SECRET'),
    ...behindFirst('PLATFORM_API_KEYS'),
    ...names.flatMap((name) => describe('OPERATOR_KEYS', name, keysOf(name)).slice(1)),
    ...behindFirst('OPERATOR_OIDC_CLIENT_SECRET'),
    ...behindFirst('CODE_KEYS'),
    // The one in use is a variable of its own.
    ...environment.gateways.flatMap(({ oldKeys }) =>
      describe(oldKeys, null, items(environment.given[oldKeys])),
    ),
  ]
}

function describe(
  list: WatchedList,
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
