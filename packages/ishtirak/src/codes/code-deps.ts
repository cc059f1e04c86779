// What acts on codes read, and a batch as it is asked for.
import type { ActDeps } from '../acts/act.js'
import type { CodeBatch } from '../core/code.js'
import type { CommonParts } from '../ledger/parts.js'

export interface CodesDeps extends ActDeps, Pick<CommonParts, 'catalogue' | 'rules' | 'wallClock'> {
  /** The first makes hashes; empty: there are no codes. */
  readonly codeKeys: readonly string[]
  readonly drawCode: () => string
}

/** As it was asked for. Null: not said. */
export type WantedBatch = Omit<CodeBatch, 'id' | 'plan' | 'revokedAt'>
