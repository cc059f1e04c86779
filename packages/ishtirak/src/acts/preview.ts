// What an act would change now: loaded and decided, not saved.
import { type Static, Type } from 'typebox'
import { timestampOrNull } from '../core/instant.js'
import type { Subscription } from '../core/subscription.js'
import { nullable, object, timestamp } from '../http/schemas.js'

/** One thing that changes; null: it is not there. */
export type Change =
  | { readonly what: 'access'; readonly before: Subscription; readonly after: Subscription }
  /** `what`: a key of the console's texts, or a name that stands as it is; so are the values. */
  | { readonly what: string; readonly before: string | null; readonly after: string | null }

export interface Preview<Detail = unknown> {
  /** Of the facts that this was decided on; 0 where they have none. */
  readonly version: number
  readonly changes: readonly Change[]
  /** For a form or an answer of its own; null: they need none. */
  readonly detail: Detail
}

/** What a user has. */
export const StandingSchema = object('Standing', {
  plan: Type.String({ description: 'The plan in effect now', examples: ['pro'] }),
  status: Type.Enum(['active', 'past_due', 'expired', 'canceled'], {
    description: 'past_due: up to 3 days past the end, access goes on; expired: later than that',
  }),
  current_period_end: nullable(timestamp),
})

const Side = Type.Union([Type.Null(), Type.String(), StandingSchema])

const ChangeSchema = object('Change', { what: Type.String(), before: Side, after: Side })

export const PreviewSchema = object('Preview', {
  version: Type.Integer({ description: 'Of the facts that this was decided on' }),
  changes: Type.Array(ChangeSchema),
})

/** What the user has before and after, of an act that changes it. */
export function standings({ changes }: Pick<Preview, 'changes'>) {
  const change = changes.find(isAccess)
  if (!change) throw new Error('this act changes no access')
  return { before: viewStanding(change.before), after: viewStanding(change.after) }
}

export function isAccess(change: Change): change is Extract<Change, { before: Subscription }> {
  return typeof change.before === 'object' && change.before !== null
}

export function viewPreview({
  version,
  changes,
}: Pick<Preview, 'version' | 'changes'>): Static<typeof PreviewSchema> {
  const view = (change: Change) =>
    isAccess(change)
      ? { what: change.what, before: viewStanding(change.before), after: viewStanding(change.after) }
      : change
  return { version, changes: changes.map(view) }
}

/** A subscription as the API writes it. */
export function viewStanding({ plan, status, currentPeriodEnd }: Subscription) {
  return { plan: plan.id, status, current_period_end: timestampOrNull(currentPeriodEnd) }
}
