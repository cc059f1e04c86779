// How Ishtirak refuses: a `BillingError` with a code from one list and the problems of each field. The texts
// are in i18n. Failures of the provider are data, and bugs are plain errors.

/** Every refusal with its HTTP status. Clients switch on the code, so a code is never renamed. */
export const ERRORS = {
  malformed_json: 400,
  invalid_request: 400,
  unauthenticated: 401,
  invalid_operator_key: 401,
  invalid_signature: 401,
  forbidden: 403,
  role_not_allowed: 403,
  sign_in_refused: 403,
  not_found: 404,
  unknown_limit: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  already_subscribed: 409,
  prepaid_limit_reached: 409,
  no_dearer_plan: 409,
  nothing_to_pay: 409,
  proforma_not_valid: 409,
  payment_not_paid: 409,
  already_refunded: 409,
  refund_change_first: 409,
  already_revoked: 409,
  buyer_incomplete: 409,
  month_not_in_turn: 409,
  no_email_address: 409,
  mail_under_way: 409,
  second_operator_needed: 409,
  balance_too_low: 409,
  too_many_proofs: 409,
  cursor_too_old: 410,
  payload_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  expectation_failed: 417,
  validation_failed: 422,
  event_without_checkout: 422,
  file_not_accepted: 422,
  unknown_plan: 422,
  plan_not_purchasable: 422,
  unknown_term: 422,
  unknown_method: 422,
  code_not_valid: 422,
  wrong_amount: 422,
  balance_limit_reached: 422,
  invalid_cursor: 422,
  rate_limited: 429,
  too_many_checkouts: 429,
  too_many_wrong_codes: 429,
  headers_too_large: 431,
  internal_error: 500,
  receipts_unavailable: 501,
  mail_unavailable: 501,
  provider_rejected: 502,
  provider_unavailable: 503,
  busy: 503,
  database_unavailable: 503,
  clock_wrong: 503,
  took_too_long: 503,
  authentication_unavailable: 503,
  not_ready: 503,
} as const

/** A refusal that the caller can act on. Any other error is a bug, and its text never reaches the caller. */
export class BillingError extends Error {
  override readonly name = 'BillingError'
  readonly code: ErrorCode
  /** More members of the problem body in snake_case, such as `current_period_end`. */
  readonly extra: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds: number | undefined
  readonly problems: readonly ValidationProblem[]

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    super(code, details.cause === undefined ? {} : { cause: details.cause })
    this.code = code
    this.extra = details.extra ?? {}
    this.retryAfterSeconds = details.retryAfterSeconds
    this.problems = details.problems ?? []
  }
}

/** A `validation_failed` about one field of the body. */
export function wrongField(
  field: string,
  code: ValidationCode,
  bound?: ValidationProblem['bound'],
): BillingError {
  return new BillingError('validation_failed', { problems: [{ pointer: `/${field}`, code, bound }] })
}

export interface ErrorDetails {
  readonly extra?: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds?: number
  readonly problems?: readonly ValidationProblem[]
  /** The log shows the cause. The caller never sees it. */
  readonly cause?: unknown
}

/** One wrong field. `pointer`: a JSON pointer into the body; `/query/…`, `/path/…`: into the address. */
export interface ValidationProblem {
  readonly pointer: string
  readonly code: ValidationCode
  /** The bound that was passed, if it is known: only with `too_small` and `too_large`. */
  readonly bound?: number | string | undefined
}

export type ErrorCode = keyof typeof ERRORS
/** What can be wrong with one field, for `errors[]` of `validation_failed`. */
export const VALIDATION_CODES = [
  'required',
  'wrong_type',
  'unknown_field',
  'not_allowed',
  'too_small',
  'too_large',
  'out_of_range',
  'too_short',
  'too_long',
  'wrong_format',
  'invalid',
] as const
export type ValidationCode = (typeof VALIDATION_CODES)[number]

export const ERROR_CODES = Object.keys(ERRORS).filter(isErrorCode)

export function isErrorCode(value: string): value is ErrorCode {
  return Object.hasOwn(ERRORS, value)
}
