// A field of a form, in the console and in the portal.
import type { ValidationCode } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import { problemInWords } from '../i18n/messages.js'
import type { SentForm } from './portal-frame.js'

export type Typed = Readonly<Record<string, string>>

/** The most characters of a field, by its type. An e-mail address has at most 254 (RFC 5321). */
const LONGEST = { number: '20', date: '20', text: '500', email: '254', password: '500' }

export interface Field {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly type: keyof typeof LONGEST | 'hidden'
  /** The largest number that this operator may enter, if it is less than the schema allows. */
  readonly most?: number
  readonly isOptional?: true
  /** The value does not affect the changes, so it may be chosen after they were shown. */
  readonly isLast?: true
  /** What a browser may fill in, by the name that HTML has for it. */
  readonly autocomplete?: string
  readonly choices?: readonly (readonly [value: string, words: string])[]
  /** Computes members of the input, if the field is not a member itself. Throws `validation_failed`. */
  readonly read?: (typed: Typed) => object
  /** Explains a problem better than the words of its code; null: use those words. */
  readonly explain?: (typed: string, code: ValidationCode) => string | null
}

export function Input(of: {
  view: { readonly locale: Locale }
  field: Field
  sent: SentForm | null
  isRequired: boolean
}) {
  const { view, field, sent, isRequired } = of
  const { name, label, type, choices } = field
  const value = sent?.typed[name] ?? field.value
  if (type === 'hidden') return <input type="hidden" name={name} value={value} />
  const problem = sent?.problems.find(({ pointer }) => pointer === `/${name}`)
  const wrong = problem && { 'aria-invalid': 'true' as const, 'aria-describedby': `wrong-${name}` }
  return (
    <label for={`field-${name}`}>
      <span safe>{label}</span>
      {choices ? (
        <select id={`field-${name}`} name={name} required={isRequired} {...wrong}>
          {choices.map(([choice, words]) => (
            <option value={choice} selected={choice === value} safe>
              {words}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={`field-${name}`}
          type={type === 'number' ? 'text' : type}
          inputmode={type === 'number' ? 'numeric' : undefined}
          name={name}
          value={value}
          maxlength={LONGEST[type]}
          autocomplete={field.autocomplete}
          required={isRequired}
          dir={type === 'text' ? 'auto' : 'ltr'}
          {...wrong}
        />
      )}
      {problem ? (
        <span class="over small" id={`wrong-${name}`} safe>
          {field.explain?.(value, problem.code) ?? problemInWords(problem, view.locale)}
        </span>
      ) : null}
    </label>
  )
}
