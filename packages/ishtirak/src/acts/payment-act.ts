// What every act on a payment says of itself, for the page that asks and the route that acts.
import type { Act } from '../core/role.js'
import type { ConsoleKey } from '../i18n/console.js'
import type { PaymentFile } from '../overview/acts.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import type { ActPage, Field } from './act-page.js'
import type { By } from './audit.sql.js'

export type Shown = Pick<ActPage, 'version' | 'changes' | 'safeMore'>

/** The fields of a form by their names, as text. */
export type Typed = Readonly<Record<string, string>>

export interface PaymentAct {
  readonly act: Act
  readonly isReasonRequired: boolean
  /** Where it is not for the audit trail alone. */
  readonly reasonKey?: ConsoleKey
  /** By the state of the payment. */
  isOffered(file: PaymentFile): boolean
  /** As the service is set up; absent: always. */
  isPossible?(pages: ConsolePages): boolean
  /** Beside the reason. */
  fieldsOf?(pages: ConsolePages, view: View, file: PaymentFile): readonly Field[]
  /** Throws `validation_failed` with what is wrong in `typed`. */
  show(pages: ConsolePages, view: View, paymentId: string, typed: Typed): Promise<Shown>
  /** Throws the same. */
  run(pages: ConsolePages, paymentId: string, by: By, typed: Typed): Promise<PaymentFile>
}
