// The validation of one request in Laravel's words: each field is read by the rule it must keep, complaints are
// collected in the order of reading, and `refuseIfWrong` answers them all as one 422. A field that breaks its rule
// reads as null; nobody may use it before `refuseIfWrong` has been passed.
import { ApiRefusal } from './errors.js'
import { inMysqlOrder, isJsonObject, type Json, type JsonObject } from './php-json.js'

export class Form {
  readonly #errors: Record<string, string[]>

  /** A part of another form complains to the whole. */
  constructor(
    readonly input: JsonObject,
    whole?: Form,
  ) {
    this.#errors = whole ? whole.#errors : {}
  }

  has(field: string): boolean {
    return (this.input[field] ?? null) !== null
  }

  /** A dotted field is complained of with its dots, as in `items.0.price`. */
  complain(field: string, message: string): null {
    this.#errors[field] = [...(this.#errors[field] ?? []), message]
    return null
  }

  /** "The <field> field <rest>", the way almost every message of Laravel begins. */
  complainThat(field: string, rest: string): null {
    return this.complain(field, `The ${spoken(field)} field ${rest}`)
  }

  require(field: string): void {
    if (!this.has(field)) this.complainThat(field, 'is required.')
  }

  text(field: string): string | null {
    const value = this.input[field] ?? null
    return value === null || typeof value === 'string' ? value : this.complainThat(field, 'must be a string.')
  }

  url(field: string): string | null {
    const value = this.input[field] ?? null
    if (value === null) return null
    return typeof value === 'string' && isWebUrl(value)
      ? value
      : this.complainThat(field, 'must be a valid URL.')
  }

  /** Numeric strings pass: the official WooCommerce plugin sends its totals so. */
  integer(field: string, min: number, rule: 'gte' | 'min' = 'min'): number | null {
    const value = this.input[field] ?? null
    if (value === null) return null
    const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
    if (typeof number !== 'number' || !Number.isSafeInteger(number))
      return this.complainThat(field, 'must be an integer.')
    if (number >= min) return number
    const least = rule === 'gte' ? `greater than or equal to ${min}` : `at least ${min}`
    return this.complainThat(field, `must be ${least}.`)
  }

  /** In any case of letters: the WooCommerce plugin sends `EDAHABIA`. */
  choice<Choice extends string>(field: string, choices: readonly Choice[]): Choice | null {
    const value = this.input[field] ?? null
    if (value === null) return null
    const chosen = choices.find((choice) => typeof value === 'string' && choice === value.toLowerCase())
    return chosen ?? this.complain(field, `The selected ${spoken(field)} is invalid.`)
  }

  /** A boolean as the database keeps it. */
  flag(field: string): 0 | 1 | null {
    const value = this.input[field] ?? null
    if (value === null) return null
    if (value === true || value === 1 || value === '1') return 1
    if (value === false || value === 0 || value === '0') return 0
    return this.complainThat(field, 'must be true or false.')
  }

  /** The docs show an array, the official clients send an object: both are kept, in the database's key order. */
  metadata(): Json {
    const value = this.input.metadata ?? null
    if (value === null || Array.isArray(value) || isJsonObject(value)) return inMysqlOrder(value)
    return this.complainThat('metadata', 'must be an array.')
  }

  /** Null when missing or when it is not a list. */
  list(field: string): readonly Json[] | null {
    const value = this.input[field] ?? null
    if (value === null || Array.isArray(value)) return value
    return this.complainThat(field, 'must be an array.')
  }

  refuseIfWrong(): void {
    const messages = Object.values(this.#errors).flat()
    const [first] = messages
    if (first === undefined) return
    const more = messages.length - 1
    const rest = more === 0 ? '' : ` (and ${more} more ${more === 1 ? 'error' : 'errors'})`
    throw new ApiRefusal(422, { message: first + rest, errors: this.#errors })
  }
}

/** `success_url` is spoken of as "success url". */
function spoken(field: string): string {
  return field.replaceAll('_', ' ')
}

/** Web addresses only, or the payment page would redirect to whatever a script can hide in an address. */
function isWebUrl(text: string): boolean {
  return text.length <= 2048 && /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) && URL.canParse(text)
}
