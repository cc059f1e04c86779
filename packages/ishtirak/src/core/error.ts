// How Ishtirak refuses: an error with a code from the one list (error-list.ts), and what was wrong with each field.
// Failures of the provider are data and bugs are plain errors: neither is a `BillingError`.
import { ERRORS } from './error-list.js'
import type { Translated } from './locale.js'

export { ERRORS } from './error-list.js'

/** The caller can act on it. Anything else that is thrown is a bug and says nothing of the inside. */
export class BillingError extends Error {
  override readonly name = 'BillingError'
  readonly code: ErrorCode
  /** Further members of the problem body, snake_case, such as `current_period_end`. */
  readonly extra: Readonly<Record<string, unknown>>
  /** Whole seconds, for `Retry-After`. */
  readonly retryAfterSeconds: number | undefined
  /** What was wrong with each field: only with `validation_failed`. */
  readonly problems: readonly ValidationProblem[]

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    super(`${code}: ${ERRORS[code].detail.en}`, details.cause === undefined ? {} : { cause: details.cause })
    this.code = code
    this.extra = details.extra ?? {}
    this.retryAfterSeconds = details.retryAfterSeconds
    this.problems = details.problems ?? []
  }
}

export interface ErrorDetails {
  readonly extra?: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds?: number
  readonly problems?: readonly ValidationProblem[]
  /** For the log, never for the caller. */
  readonly cause?: unknown
}

/** One field that is wrong. `pointer` is a JSON pointer into the body; `/query/…` and `/path/…` point into the address. */
export interface ValidationProblem {
  readonly pointer: string
  readonly code: ValidationCode
}

export type ErrorCode = keyof typeof ERRORS
export type ValidationCode = keyof typeof VALIDATION_PROBLEMS

/** What can be wrong with one field, for `errors[]` of `validation_failed`. */
export const VALIDATION_PROBLEMS = {
  required: { ar: 'هذا الحقل مطلوب.', fr: 'Ce champ est obligatoire.', en: 'This field is required.' },
  wrong_type: {
    ar: 'نوع القيمة غير صحيح.',
    fr: 'La valeur n’est pas du bon type.',
    en: 'The value is of the wrong type.',
  },
  unknown_field: { ar: 'هذا الحقل غير معروف.', fr: 'Ce champ est inconnu.', en: 'This field is not known.' },
  not_allowed: {
    ar: 'هذه القيمة غير مقبولة.',
    fr: 'Cette valeur n’est pas admise.',
    en: 'This value is not allowed.',
  },
  too_small: {
    ar: 'القيمة أصغر من المسموح.',
    fr: 'La valeur est trop petite.',
    en: 'The value is too small.',
  },
  too_large: {
    ar: 'القيمة أكبر من المسموح.',
    fr: 'La valeur est trop grande.',
    en: 'The value is too large.',
  },
  too_short: {
    ar: 'القيمة أقصر من المسموح.',
    fr: 'La valeur est trop courte.',
    en: 'The value is too short.',
  },
  too_long: { ar: 'القيمة أطول من المسموح.', fr: 'La valeur est trop longue.', en: 'The value is too long.' },
  wrong_format: {
    ar: 'صيغة القيمة غير صحيحة.',
    fr: 'La valeur n’a pas la bonne forme.',
    en: 'The value has the wrong form.',
  },
  invalid: { ar: 'القيمة غير صحيحة.', fr: 'La valeur n’est pas correcte.', en: 'The value is not valid.' },
} satisfies Record<string, Translated>

export function isErrorCode(value: string): value is ErrorCode {
  return Object.hasOwn(ERRORS, value)
}
