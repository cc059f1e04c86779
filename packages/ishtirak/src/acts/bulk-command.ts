// A command with a filter in place of the id: it acts on each of a list, and follows the work to its end.
import { setTimeout as wait } from 'node:timers/promises'
import type { TObject } from 'typebox'
import { CommandFailed, type OperatorClient } from './operator-client.js'

export interface BulkOf {
  readonly name: string
  readonly filter: TObject
}

export type Members = Readonly<Record<string, string | number | boolean>>

/** Returns the answer of the preview, or of the finished work. Throws `CommandFailed`. */
export async function askInBulk(
  client: OperatorClient,
  { name }: BulkOf,
  of: { readonly filter: Members; readonly members: Members; readonly isPreview: boolean },
): Promise<string> {
  const { filter, members, isPreview } = of
  if (Object.keys(filter).length === 0) throw new CommandFailed('name an id, or a filter for several')
  const { why, operation_id, ...input } = members
  const asked = { act: name, filter, input }
  const path = '/bulk/start'
  if (isPreview) return client.ask({ method: 'POST', path: `${path}/preview`, body: asked })
  // JSON has no member for what is undefined.
  const first = await client.ask({ method: 'POST', path, body: { ...asked, why, operation_id } })
  return untilFinished(client, path, first)
}

/** Work that continues in the background after the answer. */
interface Work {
  readonly id: string
  readonly finished_at: string | null
  readonly next_round_at?: string
}

/** The pause between two rounds of a reconciliation, which asks the provider. */
const ROUND_MS = 30_000

/** Continues what `path` began until it is finished, and prints its counts. Returns the last answer. */
export async function untilFinished(client: OperatorClient, path: string, first: string): Promise<string> {
  let text = first
  for (;;) {
    const answer: Readonly<Record<string, unknown>> = JSON.parse(text)
    const work = [answer, ...Object.values(answer)].find(isWork)
    if (!work || work.finished_at !== null) return text
    const { reason, detail } = Object(answer.failure)
    if (reason !== undefined) process.stderr.write(`${reason}: ${detail}\n`)
    const counts = Object.entries(work).filter(([, value]) => typeof value === 'number')
    process.stderr.write(`${counts.map(([name, count]) => `${name} ${count}`).join(', ')}\n`)
    if (reason === 'rejected')
      throw new CommandFailed(`${work.id} is not finished; the service goes on with it`)
    if (work.next_round_at !== undefined) await wait(ROUND_MS)
    text = await client.ask({ method: 'POST', path: path.replace(/start$/, `${work.id}/continue`) })
  }
}

function isWork(value: unknown): value is Work {
  return typeof value === 'object' && value !== null && 'finished_at' in value && 'id' in value
}
