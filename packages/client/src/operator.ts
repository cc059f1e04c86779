// What an operator's program asks: the acts of operators, and their previews, by a key of OPERATOR_KEYS.
import { createCall } from './call.js'

export interface OperatorOptions {
  /** Where the service is. */
  readonly url: string
  /** One of OPERATOR_KEYS. Its name stands in the audit trail. */
  readonly apiKey: string
  /** For a whole call, 10 s by default. */
  readonly timeoutMs?: number
  readonly fetch?: typeof fetch
}

export interface ActRequest extends Readonly<Record<string, unknown>> {
  /** Goes into the audit trail; most acts require it. */
  readonly why?: string
  /** Names this sending: sent again it is answered the same and counts once. */
  readonly operation_id?: string
}

export interface Operator {
  /**
   * `act('payment.refund', 'pay_…', { why })`: by the name that the act has in the audit trail and in
   * /openapi-operator.json. `id`: of the payment, user or event that it is on; empty where it is on none.
   * Retried once where its outcome is unknown, if it has an `operation_id`.
   */
  act(name: string, id: string, request: ActRequest): Promise<Readonly<Record<string, unknown>>>
  /** What the act would change now. Nothing is changed. */
  preview(
    name: string,
    id: string,
    asked?: Readonly<Record<string, string | number | boolean>>,
  ): Promise<Readonly<Record<string, unknown>>>
}

const ANSWER_MS = 10_000
/** The addresses of what acts are on, where they are not the plural of the name's beginning. */
const PLURALS: Readonly<Record<string, string>> = {
  bank_line: 'bank-lines',
  bulk: 'bulk',
  codes: 'codes',
  discrepancy: 'discrepancies',
  drawer: 'drawer',
  statement: 'bank-statements',
  // A session is ended; all else is done to operators.
  'operator.revoke': 'sessions',
  // On the user whose they are.
  balance: 'users',
  'payment.record': 'users',
}

/** Acts that ask for more than an address holds. */
const BY_POST: readonly string[] = ['bulk.start', 'codes.revoke_code', 'user.correct_buyer']

/** Throws as `createClient` and its calls do; a key that is refused is a `BillingConfigurationError`. */
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
