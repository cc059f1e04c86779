// What acts on codes need, and the request for a batch.
import type { ActDeps } from '../acts/act.js'
import type { CodeBatch } from '../core/code.js'
import type { CommonParts } from '../ledger/parts.js'

export interface CodesDeps extends ActDeps, Pick<CommonParts, 'catalogue' | 'rules' | 'wallClock'> {
  /** The first key makes hashes; empty: there are no codes. */
  readonly codeKeys: readonly string[]
  readonly drawCode: () => string
}

/** The request for a batch. Null: not given. */
export type WantedBatch = Omit<CodeBatch, 'id' | 'plan' | 'revokedAt'>
