// What an act would change now: loaded and decided, not saved.
import { type Static, Type } from 'typebox'
import { timestampOrNull } from '../core/instant.js'
import type { Subscription } from '../core/subscription.js'
import { nameSchemas } from '../http/schemas.js'

/** One thing that changes; null: it is not there. */
export type Change =
  | { readonly what: 'access'; readonly before: Subscription; readonly after: Subscription }
  /** `what`: a key of the console's texts, or a name that stands as it is; so are the values. */
  | { readonly what: string; readonly before: string | null; readonly after: string | null }

export interface Preview<Detail = unknown> {
  /** Of the facts that this was decided on; 0 where they have none. */
  readonly version: number
  readonly changes: readonly Change[]
  /** For a form or an answer of its own. */
  readonly detail?: Detail
}

const Side = Type.Union([
  Type.Null(),
  Type.String(),
  Type.Object({
    plan: Type.String(),
    status: Type.String(),
    current_period_end: Type.Union([Type.String(), Type.Null()]),
  }),
])

export const PreviewSchema = Type.Object({
  version: Type.Integer({ description: 'Of the facts that this was decided on' }),
  changes: Type.Array(Type.Object({ what: Type.String(), before: Side, after: Side })),
})

nameSchemas({ Preview: PreviewSchema })

export function isAccess(change: Change): change is Extract<Change, { before: Subscription }> {
  return typeof change.before === 'object' && change.before !== null
}

export function viewPreview({ version, changes }: Preview): Static<typeof PreviewSchema> {
  const view = (change: Change) =>
    isAccess(change)
      ? { what: change.what, before: standing(change.before), after: standing(change.after) }
      : change
  return { version, changes: changes.map(view) }
}

/** A subscription as the API writes it. */
function standing({ plan, status, currentPeriodEnd }: Subscription) {
  return { plan: plan.id, status, current_period_end: timestampOrNull(currentPeriodEnd) }
}
