// The form of an act: its fields, and the input and the operator's call that a sent form stands for.
import type { TObject, TSchema } from 'typebox'
import { BillingError, wrongField } from '../core/error.js'
import type { Operator } from '../core/role.js'
import { checker } from '../http/schemas.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import type { Field, Typed } from '../pages/field.js'
import { type Act, isReason } from './act.js'
import type { Requester } from './audit.sql.js'
import { latinDigits, readTypedAmount } from './typed-amount.js'

/** The fields of the form, each with its typed text, else its default. A cleared field stays empty. */
export async function fieldsOf<Deps>(
  pages: ConsolePages & Deps,
  view: View,
  { act, id, typed }: { readonly act: Act<Deps>; readonly id: string; readonly typed: Typed },
): Promise<readonly Field[]> {
  const fields = act.fields ? await act.fields(pages, view, { id, typed }) : requiredFields(act.withoutReason)
  return fields.map((field) => ({ ...field, value: typed[field.name] ?? field.value }))
}

function requiredFields({ properties, required = [] }: { properties: object; required?: readonly string[] }) {
  return Object.entries(properties)
    .filter(([name]) => required.includes(name))
    .map(([name, { type, description = name, enum: choices }]): Field => {
      const label = description.charAt(0).toUpperCase() + description.slice(1)
      const field = { name, label, value: '', type: type === 'integer' ? 'number' : 'text' } as const
      return choices ? { ...field, choices: choices.map((choice: string) => [choice, choice]) } : field
    })
}

/** A field with `read` computes its members of the input itself. Throws `validation_failed`. */
export function inputFromForm(schema: TObject, fields: readonly Field[], typed: Typed): object {
  for (const { name, most } of fields)
    if (most !== undefined && Number(latinDigits(typed[name] ?? '')) > most)
      throw wrongField(name, 'too_large', most)
  const computed = fields.filter(({ read }) => read)
  const members = Object.entries<TSchema>(schema.properties).flatMap(([name, member]) => {
    const text = (typed[name] ?? '').trim()
    const isComputed = computed.some((field) => field.name === name)
    return text === '' || isComputed ? [] : [[name, readMember(member, text)] as const]
  })
  const input = Object.assign(Object.fromEntries(members), ...computed.map(({ read }) => read?.(typed)))
  return checker<object>(schema)(input)
}

/** Reads a text as its schema says. A text that is not a number stays text, which the schema refuses. */
function readMember(schema: TSchema, text: string): string | number {
  const { type } = Object(schema)
  if (type === 'number') return Number(text)
  if (type !== 'integer') return text
  const [, sign = '', figure = ''] = /^([-\u2212]?)(.*)$/s.exec(text) ?? []
  const read = readTypedAmount(figure)
  return read.kind === 'dinars' ? (sign === '' ? read.dinars : -read.dinars) : text
}

export function isReasonRequired({ input }: Pick<Act, 'input'>): boolean {
  return input.required?.includes('why') ?? false
}

/** Also reads the hidden fields that our own page sends. Throws `validation_failed`. */
export function requesterFromForm(operator: Operator, act: Pick<Act, 'input'>, typed: Typed): Requester {
  const { why = '', operation_id: operationId = '', version = '' } = typed
  const reason = why.trim()
  const problems = [
    ...(reason === '' && isReasonRequired(act) ? [{ pointer: '/why', code: 'required' as const }] : []),
    ...(reason === '' || isReason(reason) ? [] : [{ pointer: '/why', code: 'invalid' as const }]),
    ...(/^[\w-]{22}$/.test(operationId) ? [] : [{ pointer: '/operation_id', code: 'invalid' as const }]),
    ...(/^\d{1,15}$/.test(version) ? [] : [{ pointer: '/version', code: 'invalid' as const }]),
  ]
  if (problems.length > 0) throw new BillingError('validation_failed', { problems })
  return { operator, reason: reason || null, operationId, seenVersion: Number(version) }
}
