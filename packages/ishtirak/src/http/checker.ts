// Validates a host's value with the API's schema, because a host in JavaScript has no compiler.
import type { TSchema } from 'typebox'
import { validatorCompiler } from './schemas.js'

/** Throws `validation_failed`. */
export function checker<Shape>(schema: TSchema): (value: Shape) => Shape {
  const check = validatorCompiler({ schema, method: '', url: '' })
  return (value) => {
    const { error } = check(value) as { readonly error?: Error }
    if (error) throw error
    return value
  }
}
