// The command that sends a sample of an event, so that a receiver can be tried before anybody has paid.
import { Argument, type Command } from 'commander'
import { plainText } from '../acts/cli-tables.js'
import { commandsOf } from '../acts/commands.js'
import { CommandFailed, type CommandHost } from '../acts/operator-client.js'
import type { EventType } from '../core/event-types.js'
import { isUserId } from '../core/user-id.js'
import { systemClock } from '../runtime/clock.js'
import { createIds } from '../runtime/random.js'
import { sampleEvent } from './sample-event.js'
import { eventSettings } from './settings.js'
import { createEventSender } from './webhook-sender.js'

interface TriggerOptions {
  readonly user: string
  readonly to?: string
}

/** More of an answer is not shown. */
const ANSWER_LENGTH_MAX = 1_000

export function addTriggerCommand(program: Command, host: CommandHost, types: readonly EventType[]): void {
  commandsOf(program, 'events')
    .command('trigger')
    .description('Send a signed sample of an event, in the sandbox; nothing is stored')
    .addArgument(new Argument('<type>', 'what it tells of').choices(types))
    .requiredOption('--user <id>', 'whom it is about')
    .option('--to <address>', 'where to (default: EVENTS_URL); it is signed as the service signs')
    .action(async (type: EventType, options: TriggerOptions) => {
      if (!(await trigger(host, type, options))) process.exitCode = 1
    })
}

/** Signs as the sandbox does, to `to` instead of EVENTS_URL. Throws `CommandFailed` outside the sandbox. */
export async function sandboxSender(host: CommandHost, to: string | undefined) {
  const instead = to === undefined ? {} : { EVENTS_URL: to }
  const { sandbox, events, plans } = await host.config(eventSettings, instead)
  if (!sandbox)
    throw new CommandFailed(
      'this command is for the sandbox alone: without CHARGILY_SECRET_KEY, and not in production',
    )
  if (!events) throw new CommandFailed('where to? Set EVENTS_URL, or name it with --to')
  // In the sandbox the receiver may be anywhere.
  return { plans, secrets: events.secrets, sender: createEventSender({ ...events, reach: 'any' }) }
}

/** Whether it was accepted. */
async function trigger(host: CommandHost, type: EventType, { user, to }: TriggerOptions): Promise<boolean> {
  if (!isUserId(user)) throw new CommandFailed('--user is not the id of a user')
  const { sender, plans } = await sandboxSender(host, to)
  const now = systemClock().now()
  const body = sampleEvent(type, { userId: user, catalogue: plans, now })
  const id = createIds().next('evt', now)
  process.stdout.write(`sent to ${sender.url} as ${id}\n${JSON.stringify(JSON.parse(body), null, 2)}\n`)
  const sent = await sender.send({ id, body })
  if (sent.kind === 'failure') throw new CommandFailed(`no answer: ${plainText(sent.detail)}`)
  const said = plainText(Buffer.from(sent.body ?? []).toString()).slice(0, ANSWER_LENGTH_MAX)
  process.stdout.write(`answered ${sent.status}${said && `: ${said}`}\n`)
  return sent.status >= 200 && sent.status < 300
}
