// A client for an operator's program: acts and their previews, with a key of OPERATOR_KEYS.
import { createCall } from './call.js'

export interface OperatorOptions {
  /** The address of the service. */
  readonly url: string
  /** One of OPERATOR_KEYS. The audit trail gets its name. */
  readonly apiKey: string
  /** The time limit of a whole call in milliseconds; default 10,000. */
  readonly timeoutMs?: number
  readonly fetch?: typeof fetch
}

export interface ActRequest extends Readonly<Record<string, unknown>> {
  /** The reason for the audit trail. Most acts require it. */
  readonly why?: string
  /** A name for this operation. A repetition gets the same answer and counts once. */
  readonly operation_id?: string
}

export interface Operator {
  /**
   * `act('payment.refund', 'pay_…', { why })`: the name is the one in the audit trail and in
   * /openapi-operator.json. `id` is the payment, user or event; empty if the act has no subject. If the
   * outcome is unknown, an act with an `operation_id` is retried once.
   */
  act(name: string, id: string, request: ActRequest): Promise<Readonly<Record<string, unknown>>>
  /** The changes that the act would make now. Nothing is changed. */
  preview(
    name: string,
    id: string,
    asked?: Readonly<Record<string, string | number | boolean>>,
  ): Promise<Readonly<Record<string, unknown>>>
}

const ANSWER_MS = 10_000
/** The path of each kind of subject, if it is not the plural of the name's beginning. */
const PLURALS: Readonly<Record<string, string>> = {
  bank_line: 'bank-lines',
  bulk: 'bulk',
  codes: 'codes',
  discrepancy: 'discrepancies',
  drawer: 'drawer',
  statement: 'bank-statements',
  // This act ends a session. The others are about operators.
  'operator.revoke': 'sessions',
  // The subject is the user.
  balance: 'users',
  'payment.record': 'users',
}

/** Acts whose input is too long for an address, or too private. */
const BY_POST: readonly string[] = ['bulk.start', 'user.correct_address', 'user.correct_buyer']

/** Throws as `createClient` and its calls do. A refused key is a `BillingConfigurationError`. */
export function createOperator(options: OperatorOptions): Operator {
  const call = createCall({ timeoutMs: ANSWER_MS, ...options })
  return {
    act: (name, id, request) =>
      call('POST', addressOf(name, id), { body: request, once: request.operation_id === undefined }),
    preview: (name, id, asked = {}) => {
      if (BY_POST.includes(name)) return call('POST', `${addressOf(name, id)}/preview`, { body: asked })
      const entries = Object.entries(asked).map(([key, value]) => [key, String(value)])
      const query = entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`
      return call('GET', `${addressOf(name, id)}${query}`)
    },
  }
}

/** `payment.refund` on `pay_1`: `/api/v1/operator/payments/pay_1/refund`. */
function addressOf(name: string, id: string): string {
  const [, subject = '', verb = ''] = /^([^.]+)\.(.+)$/.exec(name) ?? []
  const group = PLURALS[name] ?? PLURALS[subject] ?? `${subject}s`
  const target = id === '' ? '' : `/${encodeURIComponent(id)}`
  return `/api/v1/operator/${group}${target}/${verb.replaceAll('_', '-')}`
}
