// Commands for a receiver of events in the sandbox: `trigger` sends a sample, `listen` forwards what happens.
import { setTimeout as wait } from 'node:timers/promises'
import { Argument, type Command } from 'commander'
import { plainText } from '../acts/cli-tables.js'
import { commandsOf } from '../acts/commands.js'
import { PLATFORM_API } from '../acts/files.js'
import { CommandFailed, type CommandHost, type RunningService, refusal } from '../acts/operator-client.js'
import type { EventType } from '../core/event-types.js'
import { SECOND, toTimestamp } from '../core/instant.js'
import { isUserId } from '../core/user-id.js'
import { systemClock } from '../runtime/clock.js'
import { withoutSlash } from '../runtime/http-client.js'
import { createIds } from '../runtime/random.js'
import type { EventPage } from './event-feed.js'
import { createEventSender, type EventSender, isAccepted } from './event-sender.js'
import { sampleEvent } from './sample-event.js'
import { eventSettings } from './settings.js'

export function addSandboxCommands(program: Command, host: CommandHost, types: readonly EventType[]): void {
  const group = commandsOf(program, 'events')
  group
    .command('trigger')
    .description('Send a signed sample of an event, in the sandbox; nothing is stored')
    .addArgument(new Argument('<type>', 'the type of the event').choices(types))
    .requiredOption('--user <id>', 'the user that it is about')
    .option('--to <address>', 'where to (default: EVENTS_URL); it is signed as the service signs')
    .action(async (type: EventType, { user, to }: { readonly user: string; readonly to?: string }) => {
      if (!(await trigger(host, { type, user, to }))) process.exitCode = 1
    })
  group
    .command('listen')
    .description('Forward each new event of the running sandbox, signed, until it is stopped')
    .requiredOption('--forward-to <address>', 'where to; EVENTS_URL of the service stays as it is')
    .action(({ forwardTo }: { readonly forwardTo: string }) => listen(host, forwardTo))
}

/** Characters of an answer that are shown. */
const ANSWER_LENGTH_MAX = 1_000

async function trigger(
  host: CommandHost,
  { type, user, to }: { readonly type: EventType; readonly user: string; readonly to: string | undefined },
): Promise<boolean> {
  if (!isUserId(user)) throw new CommandFailed('--user must be a user id of 1 to 255 characters')
  const { sender, plans } = await sandboxSender(host, to)
  const now = systemClock().now()
  const body = sampleEvent(type, { userId: user, catalogue: plans, now })
  const id = createIds().next('evt', now)
  process.stdout.write(`sent to ${sender.url} as ${id}\n${JSON.stringify(JSON.parse(body), null, 2)}\n`)
  const sent = await sender.send({ id, body })
  if (sent.kind === 'failure')
    throw new CommandFailed(`no receiver answered: ${plainText(sent.detail)}. Start it, or name another --to`)
  const said = plainText(Buffer.from(sent.body ?? []).toString()).slice(0, ANSWER_LENGTH_MAX)
  process.stdout.write(`answered ${sent.status}${said && `: ${said}`}\n`)
  return isAccepted(sent)
}

/** Signs as the sandbox does, and sends to `to` instead of EVENTS_URL. */
async function sandboxSender(host: CommandHost, to: string | undefined) {
  const instead = to === undefined ? {} : { EVENTS_URL: to }
  const { sandbox, events, plans } = await host.config(eventSettings, instead)
  if (!sandbox)
    throw new CommandFailed(
      'this command works only in the sandbox: without CHARGILY_SECRET_KEY, and not in production',
    )
  if (!events) throw new CommandFailed('no address to send to: set EVENTS_URL, or use --to')
  // In the sandbox the receiver may be anywhere.
  return { plans, secrets: events.secrets, sender: createEventSender({ ...events, reach: 'any' }) }
}

const POLL_MS = 1 * SECOND
const ANSWER_MS = 10 * SECOND

async function listen(host: CommandHost, to: string): Promise<never> {
  const { sender, secrets } = await sandboxSender(host, to)
  const sandbox = await host.sandbox()
  let page = await readFeed(sandbox, null)
  while (page.has_more) page = await readFeed(sandbox, page.next_cursor)
  // A developer who has set a secret knows it.
  const isMade = !process.env.EVENTS_SECRETS?.trim()
  const secret = isMade ? `, signed with EVENTS_SECRET=${secrets[0]}` : ''
  process.stdout.write(`the events of ${sandbox.url} go to ${to} from now on${secret}\n`)
  for (;;) {
    const next = await readFeed(sandbox, page.next_cursor).catch((error) => {
      // The sandbox may be restarted meanwhile. A refusal ends the command.
      if (error instanceof CommandFailed) throw error
      process.stderr.write('the sandbox does not answer; trying again\n')
      return null
    })
    for (const event of next?.data ?? []) process.stdout.write(`${await forward(sender, event)}\n`)
    page = next ?? page
    if (!next?.has_more) await wait(POLL_MS)
  }
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

/** Sends it once, with the id and the bytes of a delivery. Returns a line with the result. */
async function forward(sender: EventSender, event: EventPage['data'][number]): Promise<string> {
  const { id, type, timestamp, data } = event
  const startedAt = performance.now()
  const sent = await sender.send({ id, body: JSON.stringify({ type, timestamp, data }) })
  const took = `${Math.round(performance.now() - startedAt)} ms`
  const answer = sent.kind === 'answer' ? String(sent.status) : `no answer (${plainText(sent.detail)})`
  return [type, answer, took, toTimestamp(systemClock().now())].join('  ')
}
