// A capability that is declared here alone brings a variable of the environment, a list of secrets and a mail
// of a new kind: no other folder knows of them.

import type { Capability } from '../../packages/ishtirak/src/acts/capability.js'
import { DAY } from '../../packages/ishtirak/src/core/instant.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { at } from '../../packages/ishtirak/src/database/rows.js'
import { CAPABILITIES } from '../../packages/ishtirak/src/main/capabilities.js'
import { misspelt, readConfig } from '../../packages/ishtirak/src/main/config.js'
import { listOf, settingsOf, textSetting } from '../../packages/ishtirak/src/runtime/environment.js'
import { describeScenario } from '../support/databases.js'
import { setProfile } from '../support/profile.js'
import { readMessage, startSmtpSink } from '../support/smtp-sink.js'
import { sql } from '../support/sql.js'
import { createWorld } from '../support/world.js'

const owe = sql(`insert into mails (user_id, kind, about, queued_at, due_at)
   select user_id, 'welcome', 'once', $1::timestamptz, $1::timestamptz from users
       on conflict (user_id, kind, about) do nothing`)

interface WelcomeConfig {
  readonly welcomedBy: string
}

// Partial, since the type of the parts is made of the list in main/capabilities.ts.
type WelcomeDeps = Partial<WelcomeConfig> & { readonly database: Database }

const welcomes: Capability<WelcomeDeps, WelcomeConfig> = {
  name: 'welcomes',
  settings: settingsOf(
    { WELCOME_BY: textSetting('a first name', /^\w+$/), WELCOME_KEYS: listOf('keys of letters', /[a-z]+/) },
    {
      secretLists: ['WELCOME_KEYS'],
      contradictions: (given) => [
        [!!given.WELCOME_KEYS && !given.WELCOME_BY, 'WELCOME_BY is missing: WELCOME_KEYS is set'],
      ],
      read: ({ WELCOME_BY: welcomedBy = 'us' }) => ({ welcomedBy }),
    },
  ),
  mails: ({ database, welcomedBy }) => [
    {
      kind: 'welcome',
      lifetimeMs: DAY,
      queueDue: (now) => database.query(owe, [at(now)]),
      write: async ({ userId }) => ({
        subject: `Welcome, ${userId}`,
        paragraphs: [`Says ${welcomedBy}.`],
        button: 'Look around',
      }),
    },
  ],
}
const capabilities = [...CAPABILITIES, welcomes]

it('its variables are read, checked and known by name, as all others', () => {
  expect(readConfig({ WELCOME_BY: 'Amina' }, capabilities)).toMatchObject({ welcomedBy: 'Amina' })
  const wrong = (env: Record<string, string>) => () => readConfig(env, capabilities)
  expect(wrong({ WELCOME_BY: '?' })).toThrow('WELCOME_BY must be a first name')
  expect(wrong({ WELCOME_KEYS: 'a' })).toThrow('WELCOME_BY is missing: WELCOME_KEYS is set')
  expect(wrong({ WELCOME_BY: 'Amina', WELCOME_KEYS: 'a,a' })).toThrow('WELCOME_KEYS names one secret twice')
  expect(readConfig({ WELCOME_BY: 'Amina', WELCOME_KEYS: 'new,old' }, capabilities).oldSecrets).toMatchObject(
    [{ list: 'WELCOME_KEYS', place: 2, of: 2, secret: 'old' }],
  )
  expect(misspelt({ WELCOME_KEY: 'x' }, capabilities)).toEqual([
    { name: 'WELCOME_KEY', nearest: 'WELCOME_KEYS' },
  ])
})

describeScenario('a mail of a new kind', ({ database }) => {
  it('is sent once, with what its capability read of the environment', async () => {
    await using sink = await startSmtpSink()
    const env = { SMTP_URL: sink.url, WELCOME_BY: 'Amina' }
    await using world = await createWorld(database(), { env, capabilities })
    await setProfile(world, 'user-1', { email: 'user@example.dz', locale: 'en' })
    for (let round = 0; round < 2; round++) await world.service.runner.runAll()
    const [message] = sink.messages.map(readMessage)
    expect([sink.messages.length, message?.headers.subject]).toEqual([1, 'Welcome, user-1'])
    expect(message?.parts['text/plain']?.toString()).toContain('Says Amina.')
  })
})
