// The reason of an act, in the API and in the forms of the console.
import { Type } from 'typebox'
import { request } from '../http/schemas.js'

/** One line with a visible letter or digit. The pattern reads each character at most twice. */
const REASON_PATTERN = '^(?=[^\\p{Cc}]*?(?!\\p{DI})[\\p{L}\\p{N}])[^\\p{Cc}]*$'
const REASON_MAX = 500

export const reason = Type.String({
  pattern: REASON_PATTERN,
  maxLength: REASON_MAX,
  description: 'Goes into the audit trail',
  examples: ['charged twice, ticket 4711'],
})

/** Names a request, so that a repetition is not done twice. */
export const operationId = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$',
      maxLength: 128,
      description,
      examples: ['ticket-4711'],
    }),
  )

export function isReason(text: string): boolean {
  return text.length <= REASON_MAX && new RegExp(REASON_PATTERN, 'u').test(text)
}

export const WhySchema = request('Reason', { why: reason })
export const OptionalWhySchema = request('OptionalReason', { why: Type.Optional(reason) })
