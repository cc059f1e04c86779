// Who buys, as an invoice names them. The fields and their lengths are those of décret exécutif 05-468 and of
// what is printed on Algerian documents; no check digit of them is published. Pure.
import { EMAIL_MAX, isEmail } from './email.js'
import type { ValidationProblem } from './error.js'
import { readPhone } from './phone.js'
import { latinDigits } from './typed-amount.js'

export const BUYER_KINDS = ['person', 'company'] as const

/** What was typed is kept as it was written, without the spaces around it; null: not given. */
export interface BuyerDetails {
  readonly kind: (typeof BUYER_KINDS)[number]
  /** Or the raison sociale. */
  readonly name: string | null
  readonly address: string | null
  /** Registre du commerce, such as `16/00-0123456 B 20`. */
  readonly rc: string | null
  /** Numéro d'identification fiscale: 15 digits, 20 of a branch. */
  readonly nif: string | null
  /** Numéro d'identification statistique: 15 digits. */
  readonly nis: string | null
  /** Article d'imposition: 3 to 20 characters. */
  readonly ai: string | null
  /** Such as `SARL`. */
  readonly legalForm: string | null
  /** As it is to be written, such as `1 000 000,00 DA`. */
  readonly capital: string | null
  readonly phone: string | null
  readonly email: string | null
}

/** The fields as they are called outside of the program. */
export const BUYER_FIELDS = [
  ...(['kind', 'name', 'address', 'rc', 'nif', 'nis', 'ai', 'legal_form', 'capital', 'phone'] as const),
  'email',
] as const
export type BuyerField = (typeof BUYER_FIELDS)[number]

/** Without these there is no invoice: of a company who it is, of a person name and address. */
const REQUIRED = {
  person: ['name', 'address'],
  company: ['name', 'address', 'rc', 'nif', 'nis', 'ai', 'legal_form'],
} as const satisfies Record<BuyerDetails['kind'], readonly BuyerField[]>

/** What an invoice cannot do without and is not given. */
export function missingDetails(details: BuyerDetails | null): readonly BuyerField[] {
  if (details === null) return ['kind']
  const fields = fieldsOfBuyer(details)
  return REQUIRED[details.kind].filter((field) => fields[field] === null)
}

/** As it was typed; absent, null and empty are the same. */
export type TypedBuyer = Readonly<Partial<Record<BuyerField, string | null | undefined>>>

type ReadBuyer =
  | { readonly details: BuyerDetails; readonly problems?: undefined }
  | { readonly problems: readonly ValidationProblem[] }

/** A list of faults by field, or the details as they are kept. */
export function readBuyerDetails(typed: TypedBuyer): ReadBuyer {
  const kept = Object.fromEntries(BUYER_FIELDS.map((field) => [field, tidied(typed[field])]))
  const problems = BUYER_FIELDS.flatMap((field) => {
    const problem = problemOf(field, kept[field] ?? null)
    return problem === null ? [] : [{ pointer: `/${field}`, ...problem }]
  })
  if (problems.length > 0) return { problems }
  const { legal_form: legalForm, ...others } = kept
  // `kind` is one of the two: it was checked.
  return { details: { ...others, legalForm } as BuyerDetails }
}

/** The other way round. */
export function fieldsOfBuyer({ legalForm, ...others }: BuyerDetails): Record<BuyerField, string | null> {
  return { ...others, legal_form: legalForm }
}

/** The fields in which two differ. */
export function changedFields(before: BuyerDetails | null, after: BuyerDetails): readonly BuyerField[] {
  const [old, now] = [before && fieldsOfBuyer(before), fieldsOfBuyer(after)]
  return BUYER_FIELDS.filter((field) => (old?.[field] ?? null) !== now[field])
}

/** Copied text has marks that are not seen. Line breaks are spaces too. */
function tidied(typed: string | null | undefined): string | null {
  if (typeof typed !== 'string') return null
  const seen = typed.replace(/[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202c\u2060\u2066-\u2069\ufeff]/g, '')
  return seen.replace(/\s+/g, ' ').trim() || null
}

/** What controls a machine or turns letters around, and what the database does not hold. */
const UNPRINTABLE = /[\p{Cc}\p{Surrogate}\u202d\u202e]/u

type Problem = Omit<ValidationProblem, 'pointer'>
type Rule = (text: string) => Problem | null

const WRONG_FORMAT: Problem = { code: 'wrong_format' }
const ifWrong = (isRight: boolean): Problem | null => (isRight ? null : WRONG_FORMAT)

/** Of letters or digits among whatever else is written. */
const words =
  (longest: number): Rule =>
  (text) =>
    lengthOf(text) > longest ? { code: 'too_long', bound: longest } : ifWrong(/[\p{L}\p{Nd}]/u.test(text))

/** Between the digits people write spaces, dots, hyphens, slashes. */
const withoutSeparators = (text: string) => latinDigits(text).replace(/[\s.,\-/_\u2010-\u2015]/g, '')

/** Twice as long as the longest number, with what stands between the digits. */
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
  // Also the number of an auto-entrepreneur's card, which stands in its place.
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

/** In characters: a letter outside of the first plane is one. */
const lengthOf = (text: string) => [...text].length
