// CODE_KEYS: the keys of the hashes under which codes are stored.
import { listOf, settingsOf } from '../runtime/environment.js'
import { items } from '../runtime/old-secrets.js'

export interface CodeConfig {
  /** The first key makes hashes, the others still read older ones. Empty: there are no codes. */
  readonly codeKeys: readonly string[]
}

export const codeSettings = settingsOf(
  { CODE_KEYS: listOf('keys of at least 32 characters from A-Z a-z 0-9 . _ ~ + / -', /[\w.~+/-]{32,}/) },
  {
    secretLists: ['CODE_KEYS'],
    read: ({ CODE_KEYS: keys }): CodeConfig => ({ codeKeys: items(keys) }),
    sandboxSecrets: { codeKey: 'CODE_KEYS' },
    inSandbox: ({ codeKeys }, secret) => ({ codeKeys: [...codeKeys, secret('codeKey')] }),
  },
)
