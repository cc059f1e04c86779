// A buyer's details in words.
import {
  BUYER_FIELDS,
  BUYER_KINDS,
  type BuyerDetails,
  type BuyerField,
  missingDetails,
} from '../core/buyer-details.js'
import type { ValidationCode } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import { inList } from '../i18n/formats.js'
import { problemInWords, type Say } from '../i18n/messages.js'
import type { TypedBuyer } from './read-buyer.js'

const labelOf = (say: Say, field: BuyerField): string => say(`buyer_${field}`)

const kindInWords = (say: Say, kind: BuyerDetails['kind']): string => say(`buyerKind_${kind}`)

export function buyerInWords(say: Say, buyer: BuyerDetails): readonly (readonly [string, string])[] {
  return BUYER_FIELDS.flatMap((field) => {
    const value = field === 'kind' ? kindInWords(say, buyer.kind) : buyer[field]
    return value === null ? [] : [[labelOf(say, field), value] as const]
  })
}

export function buyerFields(say: Say, locale: Locale, known: TypedBuyer) {
  return BUYER_FIELDS.map((name) => ({
    ...{ name, label: labelOf(say, name), type: 'text' as const, value: known[name] ?? '' },
    ...(name === 'kind'
      ? { choices: BUYER_KINDS.map((kind) => [kind, kindInWords(say, kind)] as const) }
      : { isOptional: true as const }),
    explain: (_typed: string, code: ValidationCode) => {
      const ruled = RULED.find((field) => field === name)
      return ruled ? say(`buyerRule_${ruled}`) : problemInWords({ pointer: `/${name}`, code }, locale)
    },
  }))
}

/** The fields of numbers and addresses, each with a rule that says how it is written. */
const RULED = ['rc', 'nif', 'nis', 'ai', 'phone', 'email'] as const

/** The missing fields that an invoice needs; null: none. */
export function lacksInWords(say: Say, locale: Locale, buyer: BuyerDetails | null): string | null {
  const missing = missingDetails(buyer).map((field) => labelOf(say, field))
  return missing.length === 0 ? null : inList(missing, locale)
}
