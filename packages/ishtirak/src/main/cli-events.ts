// The commands about events to the platform: list, resend, skip. They ask the operator's part of the API, of the running
// service or of the opened database, and print the answer.
import type { Command } from 'commander'
import { action, asked, print, text, why } from './cli-operator.js'
import { aCount, aReason } from './cli-words.js'

/** What is printed of the answer; the schema is in http/event-schemas.ts. */
interface ShownEvents {
  readonly endpoint: {
    readonly state: string
    readonly failing_since: string | null
    readonly disabled_at: string | null
    readonly disabled_because: string | null
  } | null
  readonly waiting: { readonly users: number; readonly events: number }
  readonly data: readonly {
    readonly id: string
    readonly user_id: string
    readonly sequence: number
    readonly type: string
    readonly created_at: string
    readonly state: string
    readonly attempts: number
    readonly due_at: string | null
    readonly failure: string | null
  }[]
}

export function addEventCommands(program: Command): void {
  const events = program.command('events').description('what is sent to the platform, and whether it arrives')
  const list = events.command('list').description('newest first, and the state of EVENTS_URL')
  list.option('--undelivered', 'only those that the platform has not confirmed, oldest first')
  list.option('--user <id>', 'of one user')
  list.option('--limit <number>', 'how many', aCount, '50')
  action(list, async (client, options) => {
    const query = new URLSearchParams({ limit: text(options.limit) })
    if (options.user !== undefined) query.set('user_id', text(options.user))
    if (options.undelivered) query.set('state', 'waiting')
    print(options, await asked<ShownEvents>(client, 'GET', `/events?${query}`), eventsTable)
  })
  const resend = events.command('resend [event]')
  resend.description('an event and all later ones of its user again, in order')
  resend.option(
    '--all-undelivered',
    'instead: switch EVENTS_URL on again, and begin anew with all that waits',
  )
  resend.option('--why <reason>', 'for the audit trail', aReason)
  action(resend, async (client, options, event) => {
    if (options.allUndelivered) {
      const answer = await asked<{ readonly users: number }>(
        client,
        'POST',
        '/events/resend-waiting',
        why(options),
      )
      return print(options, answer, ({ users }) => `EVENTS_URL is on; ${users} users’ events are due now`)
    }
    if (event === '') resend.error('name an event, or say --all-undelivered')
    const path = `/events/${encodeURIComponent(event)}/resend`
    const answer = await asked<{ readonly user_id: string; readonly events: number }>(
      client,
      'POST',
      path,
      why(options),
    )
    print(options, answer, (one) => `${one.events} events of ${one.user_id} are due now`)
  })
  const skip = events.command('skip <event>')
  skip.description('wait no longer for this event and those before it of its user')
  skip.requiredOption('--why <reason>', 'for the audit trail', aReason)
  action(skip, async (client, options, event) => {
    const path = `/events/${encodeURIComponent(event)}/skip`
    print(options, await asked<object>(client, 'POST', path, why(options)), () => 'skipped')
  })
}

function eventsTable({ endpoint, waiting, data }: ShownEvents): string {
  const rows = data.map(({ id, created_at, user_id, sequence, type, state, attempts, due_at, failure }) =>
    [
      id,
      created_at,
      `${user_id}#${sequence}`,
      type,
      state,
      state === 'waiting' && attempts > 0 ? `${attempts} attempts, ${failure ?? ''}` : '',
      due_at === null ? '' : `due ${due_at}`,
    ]
      .filter((cell) => cell !== '')
      .join('  '),
  )
  return [
    describeEndpoint(endpoint),
    `${waiting.events} events of ${waiting.users} users wait`,
    ...rows,
  ].join('\n')
}

function describeEndpoint(endpoint: ShownEvents['endpoint']): string {
  if (endpoint === null) return 'EVENTS_URL was never set: events are written and not sent'
  if (endpoint.state === 'disabled') {
    return `EVENTS_URL is SWITCHED OFF since ${endpoint.disabled_at}: ${endpoint.disabled_because}
  -> mend the receiver, then: ishtirak events resend --all-undelivered`
  }
  return endpoint.state === 'failing'
    ? `EVENTS_URL fails since ${endpoint.failing_since}`
    : 'EVENTS_URL works'
}
