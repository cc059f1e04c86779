// The answers that `init production` needs: an option with a check for each. All that is missing or wrong is
// named at once.

interface Question {
  /** `--help` and the message about a wrong answer say it. */
  readonly asks: string
  readonly fits: RegExp
  /** Absent: an answer is needed. */
  readonly otherwise?: string
  /** The flags without which the question is left out. */
  readonly only?: string
}

/** A certificate needs a name. The last label begins with a letter, so an IP address does not match. */
const DOMAIN = /^(?=.{1,253}$)((?!-)[a-z0-9-]{1,63}(?<!-)\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/
/** Without characters that a file of variables reads as a quote, a comment or another variable. */
const ADDRESS = { fits: /^https?:\/\/[\w.[\]:-]+(\/[^\s'"`#$\\]*)?$/, otherwise: '' }
const PORT = { fits: /^([2-9]\d{3}|[1-5]\d{4})$/, only: '--service systemd' }
/** Three different addresses. */
const MACHINES = /^(\d+(?:\.\d+){3}),(?!\1,)(\d+(?:\.\d+){3}),(?!\1$|\2$)\d+(?:\.\d+){3}$/
const CLUSTER = { fits: MACHINES, otherwise: '', only: '--service systemd --database postgres' }
const NETWORK = { fits: /^\d+(\.\d+){3}\/\d+$/, only: '--cluster' }
const VERSION = { fits: /^(1[5-9]|[2-9]\d)$/, otherwise: '15', only: '--cluster' }

const QUESTIONS = {
  domain: { asks: 'domain of the service in small letters, such as billing.example.dz', fits: DOMAIN },
  service: { asks: 'what runs the service: systemd or compose', fits: /^(systemd|compose)$/ },
  proxy: { asks: 'what stands before it: nginx or caddy', fits: /^(nginx|caddy)$/ },
  database: { asks: 'where the data is: embedded or postgres', fits: /^(embedded|postgres)$/ },
  cluster: { asks: 'machines of a cluster (or none), as in 10.0.0.11,10.0.0.12,10.0.0.13', ...CLUSTER },
  network: { asks: 'network of these machines and of the service, such as 10.0.0.0/24', ...NETWORK },
  postgresVersion: { asks: 'major version of PostgreSQL on these machines, at least 15', ...VERSION },
  operator: { asks: 'your name in the audit trail', fits: /^[\w.@-]{1,64}$/, otherwise: 'owner' },
  platformUrl: { asks: 'https address of the platform (or none: the service’s own)', ...ADDRESS },
  jwksUrl: { asks: 'https address of its public keys (or none: a shared secret is made)', ...ADDRESS },
  eventsUrl: { asks: 'https address where it receives events (or none: no events are sent)', ...ADDRESS },
  port: { asks: 'port of the service behind the proxy, from 2000 to 59999', ...PORT, otherwise: '3000' },
  metricsPort: { asks: 'another port for the figures, from 2000 to 59999', ...PORT, otherwise: '9464' },
} satisfies Record<string, Question>

type Name = keyof typeof QUESTIONS
/** Empty if it was not asked or not answered. */
export type Answers = Readonly<Record<Name, string>>
export type Flags = Readonly<Partial<Answers>>

// `Object.entries` forgets the names.
const ENTRIES = Object.entries(QUESTIONS) as readonly (readonly [Name, Question])[]
const flagOf = (name: Name) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Commander takes a flag and its description for each question. */
export const OPTIONS = ENTRIES.map(
  ([name, { asks, otherwise }]) =>
    [`${flagOf(name)} <value>`, otherwise ? `${asks} [${otherwise}]` : asks] as const,
)

/** Its message has everything that is wrong, one line each. */
export class AnswersMissing extends Error {}

export function answersIn(flags: Flags): Answers {
  const given: Flags = Object.fromEntries(Object.entries(flags).map(([name, value]) => [name, value.trim()]))
  const problems = ENTRIES.flatMap((entry) => problemWith(entry, given) ?? [])
  const filled = ENTRIES.map(([name, { otherwise = '' }]) => [name, given[name] ?? otherwise])
  // All names have a value now.
  const answers = Object.fromEntries(filled) as Answers
  if (answers.port === answers.metricsPort) problems.push('--metrics-port must differ from --port')
  if (problems.length > 0) throw new AnswersMissing(problems.join('\n'))
  return answers
}

function problemWith([name, question]: readonly [Name, Question], given: Flags): string | undefined {
  const { asks, fits, otherwise, only } = question
  const value = given[name]
  if (!isMeant(question, given)) return value ? `${flagOf(name)} is for ${only}` : undefined
  if (value === undefined) return otherwise === undefined ? `${flagOf(name)} is missing: ${asks}` : undefined
  return value === otherwise || fits.test(value) ? undefined : `${flagOf(name)} is wrong: ${asks}`
}

/** While a choice is missing, the questions that follow from it count as meant. */
function isMeant({ only = '' }: Question, given: Readonly<Record<string, string | undefined>>): boolean {
  return [...only.matchAll(/--(\w+)(?: (\w+))?/g)].every(([, flag = '', choice]) =>
    choice === undefined ? given[flag] : (given[flag] ?? choice) === choice,
  )
}
