// What another cell asks to be done here, for an operator of its own.
import { Type } from 'typebox'
import type { Act, ActDeps } from '../acts/act.js'
import { type PreviewElsewhere, partOfSubject } from '../acts/act-elsewhere.js'
import { performOrRepeat, previewOf } from '../acts/perform.js'
import { BillingError, ERRORS } from '../core/error.js'
import { checker } from '../http/checker.js'
import { reportFailure } from '../http/problem.js'
import type { LiveCells } from '../runtime/cells.js'
import { ACTS_PATH, type ActAsked, type RefusedThere } from './act-elsewhere.js'
import { type SignedDeps, signedRoute } from './signed.route.js'

export interface ActsDeps extends SignedDeps, ActDeps {
  readonly actsOfAll: readonly Act<never>[]
  readonly cells: LiveCells
}

const checkAsked = checker(
  Type.Object({
    ...{ act: Type.String(), id: Type.String(), input: Type.Object({}), operationId: Type.String() },
    operator: Type.Object({ name: Type.String(), role: Type.String() }),
    reason: Type.Union([Type.String(), Type.Null()]),
    isPreview: Type.Boolean(),
  }),
)

export function actsRoute(deps: ActsDeps) {
  return signedRoute(deps, ACTS_PATH, async (asked, request) => {
    checkAsked(asked)
    try {
      return { status: 200, value: await actFor(deps, asked as ActAsked) }
    } catch (error) {
      // A bug is told as one: without an answer this cell would be taken for gone.
      const { code, extra, problems, retryAfterSeconds } = reportFailure(error, request)
      const value: RefusedThere = {
        ...{ code, extra, problems },
        ...(retryAfterSeconds && { retryAfterSeconds }),
      }
      return { status: ERRORS[code], value }
    }
  })
}

async function actFor(
  deps: ActsDeps,
  { act: name, isPreview, ...asked }: ActAsked,
): Promise<PreviewElsewhere | Record<string, never>> {
  const act = deps.actsOfAll.find((one) => one.name === name) as Act<ActsDeps> | undefined
  // Of another version of this program; or an act on nothing, which is of no single cell.
  if (act?.on.command.argument === undefined) throw new BillingError('not_found')
  const { id, input, operator, reason, operationId } = asked
  await requireHere(deps, act, id)
  const call = { id, input, by: { operator, reason, operationId } }
  if (!isPreview) {
    await performOrRepeat(act, deps, call)
    return {}
  }
  const { version, changes } = await previewOf(act, deps, call)
  return { version, changes }
}

/** Throws `wrong_cell`, and `busy` for a user on their way. */
async function requireHere({ cells }: ActsDeps, { on }: Act<ActsDeps>, id: string): Promise<void> {
  const part = partOfSubject(on, id)
  const { name } = part === null ? cells.own : await cells.holderOf(part)
  if (name !== cells.own.name) throw new BillingError('wrong_cell', { extra: { cell: name } })
}
