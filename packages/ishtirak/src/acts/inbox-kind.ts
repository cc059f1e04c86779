// A kind of what waits for a person: how it is found, what it says, and the act that comes next. `overview`
// puts the inbox together, and knows none of them.
import { column, instant, integer, integerOrNull, rowOf, text, textOrNull } from '../database/rows.js'
import type { ConsoleKey } from '../i18n/console.js'
import type { ConsolePages, View } from '../pages/console-frame.js'

/**
 * Sorted from the top: money that waits for an operator, and customers who paid and may lack what they paid
 * for; money in the wrong place; things that cost no one anything today.
 */
export const URGENCIES = ['now', 'soon', 'later'] as const
type Urgency = (typeof URGENCIES)[number]

export interface InboxKind {
  /** The texts `kind_<name>` and `next_<name>` are its title and the link to its next act. */
  readonly name: string
  /** Among the kinds, from the top; no two share one. */
  readonly place: number
  readonly urgency: Urgency
  /**
   * SQL that gives `since`, `id`, `user_id`, `payment_id`, `amount` and `detail`; `$1` is now. `id` is unique
   * within the kind.
   */
  readonly select: string
  /** SQL of a row `w` of these: another payment, and how many the entry stands for. */
  readonly otherPayment?: string
  readonly count?: string
  /** For the OpenAPI document: what `detail` and the other payment are. */
  readonly detailIs?: string
  readonly otherIs?: string
  /** False: operators get no mail of it. */
  readonly isMailed?: false
  /** Money that came, or that a user says was sent. */
  readonly isMoney?: true
  /** As the audit trail names it; `user.show` changes nothing. Where there are several, `next` says which. */
  readonly nextActs: readonly [string, ...string[]]
  next?(entry: InboxRow): string
  /** Behind its title, of which thing it is one; absent: the title says all. */
  what?(view: View, detail: string): string
  /** `detail` in words; absent: as it stands. Null: nothing is said. */
  detail?(pages: ConsolePages, view: View, detail: string): string | null
  /** Whether this operator can do its next act; absent: each whose role allows it. */
  isFor?(entry: InboxRow, operator: string): boolean
  /** Before the other payment. */
  readonly otherText?: ConsoleKey
  /** With `count`, where the entry stands for several. */
  readonly countText?: ConsoleKey
  /** Where its next act is done in the console; absent: the page of its payment. */
  path?(base: string, entry: InboxRow): string
}

/** Reads the row of an entry; its fields bear the names of the API. */
export const readInboxRow = rowOf({
  waits_since: column('since', instant),
  id: text,
  user_id: textOrNull,
  email: textOrNull,
  name: textOrNull,
  payment_id: textOrNull,
  amount: integerOrNull,
  detail: textOrNull,
  other_payment_id: textOrNull,
  /** How many things the entry stands for. */
  count: integer,
})

export type InboxRow = ReturnType<typeof readInboxRow> & { readonly kind: InboxKind }
