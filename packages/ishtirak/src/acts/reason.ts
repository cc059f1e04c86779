// Why an operator acts: what every act asks for, in the API as in the forms of the console.
import { Type } from 'typebox'
import { request } from '../http/schemas.js'

/** One line with a letter or digit that is seen. Each character is read twice at most. */
const REASON_PATTERN = '^(?=[^\\p{Cc}]*?(?!\\p{DI})[\\p{L}\\p{N}])[^\\p{Cc}]*$'
const REASON_MAX = 500

export const reason = Type.String({
  pattern: REASON_PATTERN,
  maxLength: REASON_MAX,
  description: 'Goes into the audit trail',
  examples: ['charged twice, ticket 4711'],
})

/** What an act is named by: asked for again under one name, it is done once. */
export const operationId = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$',
      maxLength: 128,
      description,
      examples: ['ticket-4711'],
    }),
  )

/** As the schema has it. */
export function isReason(text: string): boolean {
  return text.length <= REASON_MAX && new RegExp(REASON_PATTERN, 'u').test(text)
}

export const WhySchema = request('Reason', { why: reason })
export const OptionalWhySchema = request('OptionalReason', { why: Type.Optional(reason) })
