// `ishtirak reconcile` goes on until the reconciliation is finished, and says after each round how far it is.
import { setTimeout as wait } from 'node:timers/promises'
import type { Static } from 'typebox'
import { CommandFailed, type OperatorClient } from '../acts/operator-client.js'
import { ROUND_MS } from './reconcile.js'
import type { RoundSchema } from './reconciliation-schemas.js'

type Round = Static<typeof RoundSchema>

/** `text`: the answer after a round; gives that of the last. Throws `CommandFailed`: the provider refuses. */
export async function reconciliationFinished(
  client: OperatorClient,
  text: string,
  onCheckouts: (done: number) => void,
  callsBefore = -1,
): Promise<string> {
  const round: Round = JSON.parse(text)
  const { reconciliation } = round
  onCheckouts(reconciliation.checkouts)
  if (reconciliation.finished_at !== null) return text
  process.stderr.write(`${describe(round, callsBefore)}\n`)
  await wait(ROUND_MS)
  const next = await client.ask({ method: 'POST', path: `/reconciliations/${reconciliation.id}/continue` })
  return reconciliationFinished(client, next, onCheckouts, reconciliation.calls)
}

function describe({ reconciliation, failure }: Round, callsBefore: number): string {
  const { id, checkouts, calls } = reconciliation
  const sofar = `${checkouts} checkouts so far, ${calls} calls`
  const next = `the next round in ${ROUND_MS / 1_000} s`
  if (failure?.reason === 'rejected')
    throw new CommandFailed(`the provider refuses: ${failure.detail}
The reconciliation ${id} is not finished (${sofar}). See ishtirak doctor; the service goes on with it.`)
  if (failure) return `the provider fails (${failure.reason}): ${failure.detail}; ${sofar}; ${next}`
  // Another process did the round, and it alone knows why nothing came of it.
  if (calls === callsBefore) return `the provider did not answer in the last round; ${sofar}; ${next}`
  return `${sofar}; ${next}`
}
