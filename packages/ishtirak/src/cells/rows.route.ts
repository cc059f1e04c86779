// What another cell's operators read of this one's database: statements by their names, those alone that are
// declared for it.
import { Type } from 'typebox'
import { BillingError } from '../core/error.js'
import { type Database, type Parameter, statementsAcross } from '../database/database.js'
import type { App } from '../http/app.js'
import type { CallerChecks } from '../http/callers.js'
import { checker } from '../http/checker.js'
import { acceptRawBytes, rawBody } from '../http/request.js'
import { answerSignature, CELL_HEADER, type CellCallsDeps, ROWS_PATH, signingKey } from './cell-calls.js'

export interface RowsDeps extends CellCallsDeps {
  /** Of this cell alone. */
  readonly ownDatabase: Database
  readonly limitAnonymous: CallerChecks['limitAnonymous']
}

/** A page of ids, each of 255 characters. */
const QUESTION_MAX = 4 * 1024 * 1024

const QuestionSchema = Type.Object({ name: Type.String(), parameters: Type.Array(Type.Unknown()) })

export function rowsRoute(deps: RowsDeps) {
  return async (app: App): Promise<void> => {
    acceptRawBytes(app)
    app.post(ROWS_PATH, { schema: { hide: true }, bodyLimit: QUESTION_MAX }, async (request, reply) => {
      const signed = String(request.headers[CELL_HEADER])
      const body = rawBody(request).toString()
      const key = signingKey(deps, signed, body)
      if (key === null) {
        deps.limitAnonymous(request, reply)
        throw new BillingError('invalid_signature')
      }
      const asked: unknown = JSON.parse(body)
      checker(QuestionSchema)(asked)
      const { name, parameters } = asked as { name: string; parameters: readonly Parameter[] }
      const statement = statementsAcross.get(name)
      // Of another version of this program.
      if (!statement) throw new BillingError('not_found')
      const answer = JSON.stringify(await deps.ownDatabase.query(statement, parameters))
      return reply
        .headers({ 'content-type': 'application/json', [CELL_HEADER]: answerSignature(key, signed, answer) })
        .send(answer)
    })
  }
}
