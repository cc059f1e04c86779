// A kind of entry in the inbox: the query that finds it, its words, and the act that comes next. `overview`
// shows the inbox, and knows no kind by name.
import { column, instant, integer, integerOrNull, rowOf, text, textOrNull } from '../database/rows.js'
import type { ConsoleKey } from '../i18n/messages.js'
import type { ConsolePages, View } from '../pages/console-frame.js'

/**
 * `now`: money waits for an operator, or a customer paid and may lack what they paid for. `soon`: money is in
 * the wrong place. `later`: it costs nothing today.
 */
export const URGENCIES = ['now', 'soon', 'later'] as const
type Urgency = (typeof URGENCIES)[number]

export interface InboxKind {
  /** The texts `kind_<name>` and `next_<name>` are its title and the link to its next act. */
  readonly name: string
  /** The position among the kinds, from the top. Each kind has another one. */
  readonly place: number
  readonly urgency: Urgency
  /**
   * SQL that gives `since`, `id`, `user_id`, `payment_id`, `amount` and `detail`; `$1` is now. `id` is unique
   * within the kind. The further `sql` below are expressions on a row `w` of it.
   */
  readonly select: string
  /** Another payment: `is` explains it in the OpenAPI document, and `text` has the words before it. */
  readonly other?: { readonly sql: string; readonly is: string; readonly text: ConsoleKey }
  /** How many things the entry stands for, and the words with it. */
  readonly count?: { readonly sql: string; readonly text: ConsoleKey }
  /** Explains `detail` in the OpenAPI document. */
  readonly detailIs?: string
  /** False: `OPERATOR_MAIL` gets no mail about it. */
  readonly isMailed?: false
  /** It is about money that came, or that a user says was sent. */
  readonly isMoney?: true
  /** The acts that can come next; `user.show` changes nothing. If there are several, `next` chooses one. */
  readonly nextActs: readonly [string, ...string[]]
  next?(entry: InboxRow): string
  /** Completes the title. */
  what?(view: View, detail: string): string
  /** `detail` in words; if absent, it is shown unchanged. Null: nothing is shown. */
  detail?(pages: ConsolePages, view: View, detail: string): string | null
  /** Whether this operator can do the next act; if absent, every operator whose role allows it. */
  isFor?(entry: InboxRow, operator: string): boolean
  /** The page of the next act; if absent, the page of its payment. */
  path?(base: string, entry: InboxRow): string
}

/** Reads an entry. Its fields have the names of the API. */
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
  count: integer,
})

export type InboxRow = ReturnType<typeof readInboxRow> & { readonly kind: InboxKind }
