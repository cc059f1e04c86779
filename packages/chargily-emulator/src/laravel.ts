// Request bodies as a Laravel application reads and validates them. A body that cannot be read is an empty
// request, in which every required field is missing.
import { ApiError } from './errors.js'
import { inMysqlOrder, isJsonObject, type Json, type JsonObject } from './php-json.js'

/**
 * Reads fields by their rules and collects the errors in the order of reading. A field that breaks its rule
 * reads as null: nothing that was read may be used before `throwIfInvalid`.
 */
export class Validator {
  readonly #errors: Record<string, string[]>

  /** With a parent, errors are added to the parent's. */
  constructor(
    readonly input: JsonObject,
    parent?: Validator,
  ) {
    this.#errors = parent ? parent.#errors : {}
  }

  has(field: string): boolean {
    return (this.input[field] ?? null) !== null
  }

  addError(field: string, message: string): null {
    this.#errors[field] = [...(this.#errors[field] ?? []), message]
    return null
  }

  /** "The <field> field <rest>": how almost every message of Laravel begins. */
  addFieldError(field: string, rest: string): null {
    return this.addError(field, `The ${nameOf(field)} field ${rest}`)
  }

  require(field: string): void {
    if (!this.has(field)) this.addFieldError(field, 'is required.')
  }

  text(field: string): string | null {
    const value = this.input[field] ?? null
    return value === null || typeof value === 'string'
      ? value
      : this.addFieldError(field, 'must be a string.')
  }

  url(field: string): string | null {
    const value = this.input[field] ?? null
    const isValid = value === null || (typeof value === 'string' && isWebUrl(value))
    return isValid ? value : this.addFieldError(field, 'must be a valid URL.')
  }

  /** Numeric strings pass: the official WooCommerce plugin sends its totals so. */
  integer(field: string, min: number, rule: 'gte' | 'min' = 'min'): number | null {
    const value = this.input[field] ?? null
    if (value === null) return null
    const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
    if (typeof number !== 'number' || !Number.isSafeInteger(number))
      return this.addFieldError(field, 'must be an integer.')
    if (number >= min) return number
    const least = rule === 'gte' ? `greater than or equal to ${min}` : `at least ${min}`
    return this.addFieldError(field, `must be ${least}.`)
  }

  /** Case-insensitive: the WooCommerce plugin sends `EDAHABIA`. */
  choice<Choice extends string>(field: string, choices: readonly Choice[]): Choice | null {
    const value = this.input[field] ?? null
    if (value === null) return null
    const chosen = choices.find((choice) => typeof value === 'string' && choice === value.toLowerCase())
    return chosen ?? this.addError(field, `The selected ${nameOf(field)} is invalid.`)
  }

  /** A boolean as the database stores it. */
  flag(field: string): 0 | 1 | null {
    const value = this.input[field] ?? null
    if (value === null) return null
    if (value === true || value === 1 || value === '1') return 1
    if (value === false || value === 0 || value === '0') return 0
    return this.addFieldError(field, 'must be true or false.')
  }

  /**
   * The docs show an array, the official clients send an object: both are kept, in the database's key order.
   */
  metadata(): Json {
    const value = this.input.metadata ?? null
    if (value === null || Array.isArray(value) || isJsonObject(value)) return inMysqlOrder(value)
    return this.addFieldError('metadata', 'must be an array.')
  }

  list(field: string): readonly Json[] | null {
    const value = this.input[field] ?? null
    return value === null || Array.isArray(value) ? value : this.addFieldError(field, 'must be an array.')
  }

  throwIfInvalid(): void {
    const messages = Object.values(this.#errors).flat()
    const [first] = messages
    if (first === undefined) return
    const more = messages.length - 1
    const rest = more === 0 ? '' : ` (and ${more} more ${more === 1 ? 'error' : 'errors'})`
    throw new ApiError(422, { message: first + rest, errors: this.#errors })
  }

  /**
   * Of these fields the ones that the request names: an update leaves the rest. Throws if anything is
   * invalid.
   */
  present<Fields extends object>(fields: Fields): Partial<Fields> {
    this.throwIfInvalid()
    const present = Object.entries(fields).filter(([field]) => Object.hasOwn(this.input, field))
    // `fromEntries` loses the names, which are those of `Fields`.
    return Object.fromEntries(present) as Partial<Fields>
  }
}

/** `success_url` becomes "success url". */
function nameOf(field: string): string {
  return field.replaceAll('_', ' ')
}

/** Only http and https, because the payment page redirects there. */
function isWebUrl(text: string): boolean {
  return text.length <= 2048 && /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) && URL.canParse(text)
}

/** PHP's `json_decode` gives up beyond this depth. */
const MAX_DEPTH = 512

/** JSON or a form, with strings trimmed and empty ones null. Never throws. */
export function readInput(contentType: string | undefined, body: unknown): JsonObject {
  if (!Buffer.isBuffer(body) || body.length === 0) return {}
  const isForm = contentType?.toLowerCase().startsWith('application/x-www-form-urlencoded')
  try {
    // `json_decode` refuses bytes that are not UTF-8.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    const input: Json = isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text)
    const trimmed = isDeeper(input, MAX_DEPTH) ? {} : trim(input)
    return isJsonObject(trimmed) ? trimmed : {}
  } catch {
    return {}
  }
}

function isDeeper(value: Json, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1))
}

/** Laravel's middleware TrimStrings and ConvertEmptyStringsToNull, which include metadata. */
function trim(value: Json): Json {
  if (typeof value === 'string') return value.trim() || null
  if (Array.isArray(value)) return value.map(trim)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, trim(member)]))
}
