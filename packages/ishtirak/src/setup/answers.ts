// What production needs to know, each with its flag, its question and its check: flags first, then questions
// where there is a terminal; where there is none, everything that is missing is named at once.
import os from 'node:os'
import { domainToASCII } from 'node:url'

export interface Answers {
  readonly domain: string
  readonly service: 'systemd' | 'compose'
  readonly proxy: 'nginx' | 'caddy'
  readonly database: 'embedded' | 'postgres'
  readonly operator: string
  /** Empty: PUBLIC_URL. */
  readonly platformUrl: string
  /** Empty: a secret is made, and the platform signs with it. */
  readonly jwksUrl: string
  /** Empty: events are kept and not sent. */
  readonly eventsUrl: string
  /** Of systemd; the network of Compose has its own. */
  readonly port: number
  readonly metricsPort: number
}

export type Flags = Readonly<Partial<Record<keyof Answers, string>>>

interface Question {
  readonly name: keyof Answers
  readonly flag: string
  readonly asks: string
  /** Finishes "--flag must be …". */
  readonly expects: string
  fits(value: string): boolean
  /** Absent: an answer is needed. */
  readonly otherwise?: string
  readonly ofSystemd?: true
}

const oneOf = (...words: readonly string[]) => ({
  expects: words.join(' or '),
  fits: (value: string) => words.includes(value),
})
/** Without what a file of variables would read as a quote, a comment or another variable. */
const address = (...schemes: readonly string[]) => ({
  expects: `an address that starts with ${schemes.join('// or ')}//, without quotes`,
  fits: (value: string) =>
    !/[\s'"`#$\\]/.test(value) && URL.canParse(value) && schemes.includes(new URL(value).protocol),
})
const portNumber = {
  expects: 'a port from 1024 to 65535',
  fits: (value: string) => /^\d{4,5}$/.test(value) && Number(value) >= 1_024 && Number(value) <= 65_535,
}

/** Certificates are given for names, and the proxy listens on 443. */
function isDomain(value: string): boolean {
  const labels = value.split('.')
  return (
    domainToASCII(value) === value &&
    labels.length > 1 &&
    labels.every((label) => /^(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '')
  )
}

const NAME = /^[\w.@-]{1,64}$/

function ownName(): string {
  const { username } = os.userInfo()
  return NAME.test(username) && username !== 'root' ? username : 'owner'
}

export const QUESTIONS: readonly Question[] = [
  {
    name: 'domain',
    flag: '--domain <name>',
    asks: 'Domain of the billing service, such as billing.example.dz',
    expects: 'a name in small letters such as billing.example.dz: no https://, no port, no IP address',
    fits: isDomain,
  },
  {
    ...{ name: 'service', flag: '--service <kind>', asks: 'What runs the service: systemd or compose' },
    ...oneOf('systemd', 'compose'),
  },
  {
    ...{ name: 'proxy', flag: '--proxy <kind>', asks: 'What stands before it: nginx or caddy' },
    ...oneOf('nginx', 'caddy'),
  },
  {
    ...{ name: 'database', flag: '--database <kind>', asks: 'Where the data is: embedded or postgres' },
    ...oneOf('embedded', 'postgres'),
  },
  {
    ...{ name: 'operator', flag: '--operator <name>', asks: 'Your name in the audit trail' },
    ...{ expects: '1 to 64 letters, digits or . _ @ -', fits: (value) => NAME.test(value) },
    otherwise: ownName(),
  },
  {
    name: 'platformUrl',
    flag: '--platform-url <address>',
    asks: 'Address of the platform, where users go back to after paying (empty: the service’s own)',
    ...{ ...address('https:', 'http:'), otherwise: '' },
  },
  {
    name: 'jwksUrl',
    flag: '--jwks-url <address>',
    asks: 'Address of the public keys that the platform signs tokens with (empty: a shared secret is made)',
    ...{ ...address('https:', 'http:'), otherwise: '' },
  },
  {
    name: 'eventsUrl',
    flag: '--events-url <address>',
    asks: 'Where the platform receives events (empty: none are sent)',
    ...{ ...address('https:', 'http:'), otherwise: '' },
  },
  {
    ...{ name: 'port', flag: '--port <number>', asks: 'Port of the service, behind the proxy' },
    ...{ ...portNumber, otherwise: '3000', ofSystemd: true },
  },
  {
    ...{ name: 'metricsPort', flag: '--metrics-port <number>', asks: 'Port of the figures for Prometheus' },
    ...{ ...portNumber, otherwise: '9464', ofSystemd: true },
  },
]

/** Everything that is wrong, one line each. */
export class AnswersMissing extends Error {}

const flagOf = ({ flag }: Question) => flag.split(' ')[0]
const refusal = (question: Question) => `${flagOf(question)} must be ${question.expects}`

/** `ask` is absent where nobody can be asked. It is asked again until the answer fits. */
export async function collectAnswers(
  flags: Flags,
  ask?: (question: string) => Promise<string>,
  say: (line: string) => void = () => undefined,
): Promise<Answers> {
  const given = new Map(Object.entries(flags).map(([name, value]) => [name, value?.trim()]))
  const problems = QUESTIONS.flatMap((question) => problemsWith(question, given.get(question.name), !ask))
  if (given.get('service') === 'compose')
    for (const question of QUESTIONS)
      if (question.ofSystemd && given.has(question.name))
        problems.push(`${flagOf(question)} is for systemd: the network of Compose has ports of its own`)
  if (problems.length > 0) throw new AnswersMissing(problems.join('\n'))
  for (const question of QUESTIONS) {
    if (given.get(question.name) !== undefined) continue
    const isAsked = ask && !(question.ofSystemd && given.get('service') === 'compose')
    given.set(question.name, isAsked ? await answerTo(question, ask, say) : (question.otherwise ?? ''))
  }
  const { port, metricsPort, ...words } = Object.fromEntries(given)
  if (port === metricsPort) throw new AnswersMissing('--metrics-port must differ from --port')
  // Each question has put its answer in.
  return { ...words, port: Number(port), metricsPort: Number(metricsPort) } as Answers
}

function problemsWith(question: Question, value: string | undefined, isFinal: boolean): string[] {
  if (value === undefined)
    return isFinal && question.otherwise === undefined
      ? [`${flagOf(question)} is missing: ${question.expects}`]
      : []
  return fits(question, value) ? [] : [refusal(question)]
}

const fits = (question: Question, value: string) => value === question.otherwise || question.fits(value)

async function answerTo(
  question: Question,
  ask: (question: string) => Promise<string>,
  say: (line: string) => void,
): Promise<string> {
  const { asks, otherwise = '' } = question
  for (;;) {
    const typed = (await ask(`${asks}${otherwise === '' ? '' : ` [${otherwise}]`}: `)).trim()
    const answer = typed === '' ? otherwise : typed
    if (fits(question, answer) && (answer !== '' || question.otherwise === '')) return answer
    say(refusal(question))
  }
}
