// The parts that capabilities add to the file of a payment or a user: a member of the answer, a card of the
// page.
import { type TProperties, type TSchema, Type } from 'typebox'
import type { Payment } from '../core/payment.js'
import type { TimeEntry } from '../core/time-list.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import type { Fact } from '../pages/console-parts.js'

/** `Part` is the type of what is loaded. */
interface FilePart<Of, Part> {
  /** The member of the API's answer. */
  readonly key: string
  readonly schema: TSchema
  load(of: Of): Promise<Part>
  /** Turns the part into the shape of `schema`. */
  view(part: Part, of: Of): unknown
}

export interface PaymentPart<Part = unknown> extends FilePart<Payment, Part> {
  card?(pages: ConsolePages, view: View, part: Part, payment: Payment): JSX.Element | null
  facts?(pages: ConsolePages, view: View, part: Part, payment: Payment): readonly Fact[]
  /** Says why the money is not booked; null: this part does not know. */
  whyNotBooked?(view: View, part: Part): string | null
}

export interface UserPart<Part = unknown> extends FilePart<{ readonly userId: string }, Part> {
  card?(pages: ConsolePages, view: View, part: Part): JSX.Element | null
  /** Says where a piece of time came from; null: this part does not know. */
  originInWords?(view: View, part: Part, time: TimeEntry): string | null
}

/** The parts of all capabilities. `main/wire.ts` fills them in. */
export interface FileParts {
  readonly payment: PaymentPart[]
  readonly user: UserPart[]
}

export type LoadedParts = Readonly<Record<string, unknown>>

export async function loadParts<Of>(parts: readonly FilePart<Of, unknown>[], of: Of): Promise<LoadedParts> {
  return Object.fromEntries(await Promise.all(parts.map(async ({ key, load }) => [key, await load(of)])))
}

export function viewParts<Of>(parts: readonly FilePart<Of, unknown>[], loaded: LoadedParts, of: Of) {
  return Object.fromEntries(parts.map(({ key, view }) => [key, view(loaded[key], of)]))
}

export function withParts(
  title: string,
  base: TProperties,
  parts: readonly Pick<FilePart<never, unknown>, 'key' | 'schema'>[],
) {
  const added = Object.fromEntries(parts.map(({ key, schema }) => [key, schema]))
  return Type.Object({ ...base, ...added }, { title })
}
