// A buyer's details in words.

import {
  BUYER_FIELDS,
  type BuyerDetails,
  type BuyerField,
  fieldsOfBuyer,
  missingDetails,
} from '../core/buyer-details.js'
import type { ValidationProblem } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import { inList } from '../i18n/formats.js'
import { problemInWords, type Say } from '../i18n/messages.js'

export const labelOf = (say: Say, field: BuyerField): string => say(`buyer_${field}`)

export const kindInWords = (say: Say, kind: BuyerDetails['kind']): string => say(`buyerKind_${kind}`)

/** The given fields, each with its label. */
export function buyerInWords(say: Say, buyer: BuyerDetails): readonly (readonly [string, string])[] {
  const fields = fieldsOfBuyer(buyer)
  return BUYER_FIELDS.flatMap((field) => {
    const value = field === 'kind' ? kindInWords(say, buyer.kind) : fields[field]
    return value === null ? [] : [[labelOf(say, field), value] as const]
  })
}

/** The fields whose form is checked. */
const RULED = ['rc', 'nif', 'nis', 'ai', 'phone', 'email'] as const

/** The problem of a field in words. */
export function faultInWords(say: Say, locale: Locale, problem: ValidationProblem): string {
  const ruled = RULED.find((field) => problem.pointer === `/${field}`)
  return ruled === undefined ? problemInWords(problem, locale) : say(`buyerRule_${ruled}`)
}

/** The missing fields that an invoice needs; null: none. */
export function lacksInWords(say: Say, locale: Locale, buyer: BuyerDetails | null): string | null {
  const missing = missingDetails(buyer).map((field) => labelOf(say, field))
  return missing.length === 0 ? null : inList(missing, locale)
}
