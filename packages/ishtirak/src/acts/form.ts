// How an act looks in the console where its input and preview do not say it.
import type { BillingError } from '../core/error.js'
import type { ConsolePages, Fact, View } from '../pages/console-frame.js'
import type { ActPage, Field } from './act-page.js'
import type { Preview } from './preview.js'

export type Shown = Pick<ActPage, 'version' | 'changes' | 'hidden' | 'safeMore'>

/** What changes, in words, and what is known of it above. */
export type InWords = Partial<Omit<Shown, 'version'>> & { readonly facts?: readonly Fact[] }

/** The fields of a form by their names, as text. */
export type Typed = Readonly<Record<string, string>>

export interface ActForm<Deps, File = unknown, Detail = unknown> {
  /** By the state of what it is on, as the subject's file has it; absent: always. */
  isOffered?(file: File): boolean
  /** As the service is set up, which the act says too where it refuses; absent: always. */
  isPossible?(deps: Deps): boolean
  /** Beside the reason; absent: made from the input. Throws `not_found`. */
  fields?(pages: ConsolePages & Deps, view: View, id: string): Promise<readonly Field[]>
  /** The same of a list, which has no id; absent: made from the input. */
  ofMany?(pages: ConsolePages & Deps, view: View): readonly Field[]
  /** The field that answers the first question; absent: the first without a value; null: none is asked. */
  readonly asks?: string | null
  /** Of fields that may be chosen last: what follows is shown for these values. */
  readonly assumes?: Typed
  /** What was typed, as the input; absent: by its schema. Throws `validation_failed`. */
  read?(pages: ConsolePages & Deps, typed: Typed, id: string): object
  /** `changes` absent: by `Preview`. */
  inWords?(pages: ConsolePages & Deps, view: View, preview: Preview<Detail>, typed: Typed): InWords
  /** Which fields a refusal of another code is about: none, or absent: it is shown as it is. */
  wrongFields?(refusal: BillingError): readonly string[] | undefined
  /** What stands in the field of the reason, to be changed. */
  reason?(view: View): string
  /** A secret that was made: in the answer to the form, and nowhere else. */
  shownOnce?(outcome: unknown): string
  /** What it made, on a page that nothing shows again. */
  answers?(
    pages: ConsolePages & Deps,
    view: View,
    done: { readonly outcome: unknown; readonly typed: Typed },
  ): { readonly html: string; readonly headers: Readonly<Record<string, string>> }
  /** It changes nothing by the operator's will, so its button acts; its page is shown where it cannot. */
  readonly atOnce?: true
  /** Of the reason, where it is not for the audit trail alone. */
  reasonLabel?(view: View): string
}
