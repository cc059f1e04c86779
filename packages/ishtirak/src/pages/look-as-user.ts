// The portal of a user as an operator looks at it. The console asks for the page, and the portal makes it.
import type { Operator } from '../core/role.js'

/** Gives the page; throws `not_found`. */
export type LookAsUser = (of: {
  readonly userId: string
  readonly operator: Operator
  readonly requestId: string
  readonly style: string
  /** What the operator is told above it. */
  readonly safeStart: JSX.Element
}) => Promise<string>
