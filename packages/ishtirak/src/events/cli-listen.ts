// The command that forwards the events of the running sandbox to an address of the developer's own.
import { setTimeout as wait } from 'node:timers/promises'
import type { Command } from 'commander'
import { plainText } from '../acts/cli-tables.js'
import { commandsOf } from '../acts/commands.js'
import { PLATFORM_API } from '../acts/descriptions.js'
import { CommandFailed, type CommandHost, type RunningService, refusal } from '../acts/operator-client.js'
import { SECOND, toTimestamp } from '../core/instant.js'
import { systemClock } from '../runtime/clock.js'
import { withoutSlash } from '../runtime/http-client.js'
import { sandboxSender } from './cli-trigger.js'
import type { EventPage } from './event-feed.js'
import type { EventSender } from './event-sender.js'

interface ListenOptions {
  readonly forwardTo: string
}

const POLL_MS = 1 * SECOND
const ANSWER_MS = 10 * SECOND

export function addListenCommand(program: Command, host: CommandHost): void {
  commandsOf(program, 'events')
    .command('listen')
    .description('Forward each new event of the running sandbox, signed, until it is stopped')
    .requiredOption('--forward-to <address>', 'where to; EVENTS_URL of the service stays as it is')
    .action(({ forwardTo }: ListenOptions) => listen(host, forwardTo))
}

async function listen(host: CommandHost, to: string): Promise<never> {
  const { sender, secrets } = await sandboxSender(host, to)
  const sandbox = await host.sandbox()
  let after = await endOfFeed(sandbox)
  // One that was given is known to who has given it.
  const isOwn = !process.env.EVENTS_SECRETS?.trim()
  const secret = isOwn ? `, signed with EVENTS_SECRET=${secrets[0]}` : ''
  process.stdout.write(`the events of ${sandbox.url} go to ${to} from now on${secret}\n`)
  for (;;) {
    const page = await readFeed(sandbox, after).catch(sayUnreachable)
    for (const event of page?.data ?? []) process.stdout.write(`${await forward(sender, event)}\n`)
    after = page?.next_cursor ?? after
    if (!page?.has_more) await wait(POLL_MS)
  }
}

/** The sandbox may be started anew meanwhile. What it refuses ends the command. */
function sayUnreachable(error: unknown): null {
  if (error instanceof CommandFailed) throw error
  process.stderr.write('the sandbox does not answer; trying again\n')
  return null
}

/** Behind all events that there are. */
async function endOfFeed(sandbox: RunningService): Promise<string> {
  let page = await readFeed(sandbox, null)
  while (page.has_more) page = await readFeed(sandbox, page.next_cursor)
  return page.next_cursor
}

async function readFeed({ url, key }: RunningService, after: string | null): Promise<EventPage> {
  const query = new URLSearchParams({ limit: '1000', ...(after !== null && { after }) })
  const response = await fetch(`${withoutSlash(url)}${PLATFORM_API}/events?${query}`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(ANSWER_MS),
  })
  const body = await response.text()
  if (response.status >= 500) throw new Error(`answered ${response.status}`)
  if (!response.ok) throw refusal(response.status, body)
  return JSON.parse(body)
}

/** Sent once, with the id and the bytes of a delivery. The line that says what became of it. */
async function forward(sender: EventSender, event: EventPage['data'][number]): Promise<string> {
  const { id, type, timestamp, data } = event
  const startedAt = performance.now()
  const sent = await sender.send({ id, body: JSON.stringify({ type, timestamp, data }) })
  const took = `${Math.round(performance.now() - startedAt)} ms`
  const answer = sent.kind === 'answer' ? String(sent.status) : `no answer (${plainText(sent.detail)})`
  return [type, answer, took, toTimestamp(systemClock().now())].join('  ')
}
