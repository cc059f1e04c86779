// Reads the details that a buyer typed. The lengths are those of décret exécutif 05-468 and of printed
// Algerian documents; no check digit of these numbers is published. Pure.
import { readPhone } from '../acts/phone.js'
import { latinDigits } from '../acts/typed-amount.js'
import { BUYER_FIELDS, BUYER_KINDS, type BuyerDetails, type BuyerField } from '../core/buyer-details.js'
import { EMAIL_MAX, isEmail } from '../core/email.js'
import { BillingError, type ValidationProblem } from '../core/error.js'

/** The typed values. Absent, null and empty are the same. */
export type TypedBuyer = Readonly<Partial<Record<BuyerField, string | null | undefined>>>

/** Returns the details as they are stored. Throws `validation_failed` with each wrong field. */
export function readBuyerDetails(typed: TypedBuyer): BuyerDetails {
  const kept = Object.fromEntries(BUYER_FIELDS.map((field) => [field, tidied(typed[field])]))
  const problems = BUYER_FIELDS.flatMap((field) => {
    const problem = problemOf(field, kept[field] ?? null)
    return problem === null ? [] : [{ pointer: `/${field}`, ...problem }]
  })
  if (problems.length > 0) throw new BillingError('validation_failed', { problems })
  // It has each field, and `kind` was checked to be one of the two.
  return kept as unknown as BuyerDetails
}

export function changedFields(old: BuyerDetails | null, now: BuyerDetails) {
  const changed = BUYER_FIELDS.filter((field) => (old?.[field] ?? null) !== now[field])
  const valuesIn = (details: typeof old) =>
    Object.fromEntries(changed.map((field) => [field, details?.[field] ?? null]))
  return { before: valuesIn(old), after: valuesIn(now) }
}

/** Removes invisible marks of copied text, and turns line breaks into spaces. */
function tidied(typed: string | null | undefined): string | null {
  if (typeof typed !== 'string') return null
  const seen = typed.replace(/[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202c\u2060\u2066-\u2069\ufeff]/g, '')
  return seen.replace(/\s+/g, ' ').trim() || null
}

/** Control characters, marks that reverse text, and characters that the database refuses. */
const UNPRINTABLE = /[\p{Cc}\p{Surrogate}\u202d\u202e]/u

type Problem = Omit<ValidationProblem, 'pointer'>
type Rule = (text: string) => Problem | null

const WRONG_FORMAT: Problem = { code: 'wrong_format' }
const ifWrong = (isRight: boolean): Problem | null => (isRight ? null : WRONG_FORMAT)

/** Counts letters or digits among other characters. */
const words =
  (longest: number): Rule =>
  (text) =>
    lengthOf(text) > longest ? { code: 'too_long', bound: longest } : ifWrong(/[\p{L}\p{Nd}]/u.test(text))

/** People write spaces, dots, hyphens and slashes between digits. */
const withoutSeparators = (text: string) => latinDigits(text).replace(/[\s.,\-/_\u2010-\u2015]/g, '')

/** Twice the longest number, with its separators. */
const DIGITS_MAX = 40

const digits =
  (form: RegExp): Rule =>
  (text) =>
    ifWrong(lengthOf(text) <= DIGITS_MAX && form.test(withoutSeparators(text)))

const lettersAndDigits =
  (least: number, longest: number): Rule =>
  (text) => {
    const signs = withoutSeparators(text)
    if (lengthOf(text) > 2 * longest || lengthOf(signs) > longest) return { code: 'too_long', bound: longest }
    if (!/^[\p{L}\p{Nd}\p{M}()°]*$/u.test(signs)) return WRONG_FORMAT
    return lengthOf(signs) < least ? { code: 'too_short', bound: least } : null
  }

const RULES: Readonly<Record<Exclude<BuyerField, 'kind'>, Rule>> = {
  name: words(120),
  address: words(240),
  // An auto-entrepreneur writes the number of their card here.
  rc: lettersAndDigits(4, 30),
  nif: digits(/^(\d{15}|\d{20})$/),
  nis: digits(/^\d{15}$/),
  ai: lettersAndDigits(3, 20),
  legal_form: words(60),
  capital: words(60),
  phone: (text) => ifWrong(lengthOf(text) <= 40 && readPhone(text) !== null),
  email: (text) =>
    text.length > EMAIL_MAX ? { code: 'too_long', bound: EMAIL_MAX } : ifWrong(isEmail(text)),
}

function problemOf(field: BuyerField, text: string | null): Problem | null {
  if (field === 'kind') {
    if (text === null) return { code: 'required' }
    return BUYER_KINDS.some((kind) => kind === text) ? null : { code: 'not_allowed' }
  }
  if (text === null) return null
  return UNPRINTABLE.test(text) ? WRONG_FORMAT : RULES[field](text)
}

/** Counted in characters: a letter outside of the first plane is one. */
const lengthOf = (text: string) => [...text].length
