// EVENTS_URL and more: the platform's receiver of events.
import { listOf, settingsOf, textSetting, web } from '../runtime/environment.js'
import type { Reach } from '../runtime/http-client.js'
import { isTwice, items } from '../runtime/old-secrets.js'

export interface EventConfig {
  /** Absent: events are only stored. */
  readonly events?: {
    readonly url: string
    readonly secrets: readonly string[]
    /** The addresses that requests may go to. */
    readonly reach: Reach
  }
}

/** 24 to 64 bytes in base64. */
const SECRET = new RegExp(
  'whsec_(?=[A-Za-z0-9+/]{32,86}={0,2}(?: *,| *$))' +
    '(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?',
)

export const eventSettings = settingsOf(
  {
    EVENTS_URL: web(),
    EVENTS_SECRETS: listOf('secrets that start with whsec_ (24 to 64 bytes, base64)', SECRET),
    EVENTS_ALLOW_PRIVATE: textSetting('true or false', /^(true|false)$/),
  },
  {
    contradictions: ({ EVENTS_URL: url, EVENTS_SECRETS: secrets }, { isSandbox }) => [
      [!!url && !secrets && !isSandbox, 'EVENTS_SECRETS is missing: EVENTS_URL is set'],
      [!url && !!secrets, 'EVENTS_URL is missing: EVENTS_SECRETS is set'],
      // Not among `secretLists`: only the platform knows which of them it checks.
      [isTwice(items(secrets)), 'EVENTS_SECRETS names one secret twice'],
    ],
    read: (values, { isSandbox }): EventConfig => {
      const { EVENTS_URL: url, EVENTS_SECRETS: secrets, EVENTS_ALLOW_PRIVATE: isPrivate } = values
      // In the sandbox the platform is on this machine.
      const reach = isPrivate === 'true' ? 'any' : isSandbox ? 'loopback' : 'public'
      return url === undefined ? {} : { events: { url, secrets: items(secrets), reach } }
    },
    sandboxSecrets: { eventsSecret: 'EVENTS_SECRETS' },
    inSandbox: ({ events }, secret) => {
      if (!events || events.secrets.length > 0) return {}
      const base64 = Buffer.from(secret('eventsSecret'), 'base64url').toString('base64')
      return { events: { ...events, secrets: [`whsec_${base64}`] } }
    },
    // A secret that the developer has set is not shown again.
    forPlatform: (read, { events }) =>
      events && read.events?.secrets.length === 0 ? { EVENTS_SECRET: events.secrets[0] } : {},
  },
)
