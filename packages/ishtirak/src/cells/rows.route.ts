// What another cell's operators read of this one's database: statements by their names, those alone that are
// declared for it.
import { Type } from 'typebox'
import { BillingError } from '../core/error.js'
import { type Database, type Parameter, statementsAcross } from '../database/database.js'
import { checker } from '../http/checker.js'
import { ROWS_PATH } from './cell-calls.js'
import { type SignedDeps, signedRoute } from './signed.route.js'

export interface RowsDeps extends SignedDeps {
  /** Of this cell alone. */
  readonly ownDatabase: Database
}

const checkQuestion = checker(Type.Object({ name: Type.String(), parameters: Type.Array(Type.Unknown()) }))

export function rowsRoute(deps: RowsDeps) {
  return signedRoute(deps, ROWS_PATH, async (asked) => {
    checkQuestion(asked)
    const { name, parameters } = asked as { name: string; parameters: readonly Parameter[] }
    const statement = statementsAcross.get(name)
    // Of another version of this program.
    if (!statement) throw new BillingError('not_found')
    return { status: 200, value: await deps.ownDatabase.query(statement, parameters) }
  })
}
