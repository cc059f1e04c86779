// What every act on a payment says of itself, for the page that asks and the route that acts.

import type { ActPage, Field } from '../acts/act-page.js'
import type { By } from '../acts/audit.sql.js'
import type { Act } from '../core/role.js'
import type { ConsoleKey } from '../i18n/console.js'
import type { View } from '../pages/console-frame.js'
import type { PaymentFile } from './acts.js'
import type { AllPages } from './all-pages.js'

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
  isPossible?(pages: AllPages): boolean
  /** Beside the reason. */
  fieldsOf?(pages: AllPages, view: View, file: PaymentFile): readonly Field[]
  /** Throws `validation_failed` with what is wrong in `typed`. */
  show(pages: AllPages, view: View, paymentId: string, typed: Typed): Promise<Shown>
  /** Throws the same. */
  run(pages: AllPages, paymentId: string, by: By, typed: Typed): Promise<PaymentFile>
}
