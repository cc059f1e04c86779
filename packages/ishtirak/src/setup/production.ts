// The files of a production and the remaining steps, made from templates: .env.example and the files of
// deploy/. files.txt, examples.txt and variables.txt in deploy/ list the files and the replacements.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { VERSION } from '../runtime/package.js'
import { randomToken } from '../runtime/secret.js'
import type { Answers } from './answers.js'

/** The name is relative to the folder. Secret files are readable only by the owner and are never shown. */
export type ProductionFile = ReturnType<typeof productionFiles>[number]
/** Each key is a text in a template, and its value replaces it. */
type Values = Readonly<Record<string, string>>
type Variables = ReturnType<typeof parseEnv>

/** The package's folder, next to `src` and next to `dist`. */
const PACKAGE = fileURLToPath(new URL('../..', import.meta.url))
/** The repository; null in an installed package, which has no sources. */
const CHECKOUT = existsSync(path.join(PACKAGE, 'src')) ? path.resolve(PACKAGE, '../..') : null

/** A systemd unit hides /home, /root and /run/user; npx deletes its folder; other characters need quotes. */
const UNUSABLE = /^\/(home|root|run\/user)\/|\/_npx\/|[^\w./@+-]/
const ENTRY = path.join(PACKAGE, 'dist/main/cli.js')
const PROGRAM = UNUSABLE.test(ENTRY) ? '/opt/ishtirak/node_modules/ishtirak/dist/main/cli.js' : ENTRY

/** Compose reads the variables of its own files from `.env`. */
const environmentName = ({ service }: Answers) => (service === 'compose' ? '.env' : 'environment')

/** Secrets of an earlier run are kept, so that the same answers give the same files. */
export function productionFiles(answers: Answers, folder: string) {
  const machines = ['pg1', 'pg2', 'pg3'].map((name) => `${name}/etc/patroni_env.conf`)
  const files = [environmentName(answers), ...machines].map((name) => path.join(folder, name))
  const texts = files.map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : ''))
  const existing = parseEnv(texts.join('\n'))
  const values = valuesOf(answers, folder, existing)
  return linesFor('files.txt', answers).map((line) => {
    const [name = '', template = name] = line.split(' ')
    const [machine, place] = /^pg(\d)/.exec(name) ?? []
    // The example is the file of the first machine.
    const own = machine === undefined ? {} : { pg1: machine, '10.0.0.11': values[`{machine${place}}`] ?? '' }
    const isEnvironment = template === '../.env.example'
    const isSecret = isEnvironment || template === 'database.sql' || template === 'patroni_env.conf'
    const text = isEnvironment ? environmentOf(answers, values, existing) : readTemplate(template)
    return { name, text: isEnvironment ? text : fillIn(text, { ...values, ...own }), isSecret }
  })
}

/** Commands to copy, and the values that only the seller has. */
export const nextSteps = (answers: Answers, folder: string) =>
  fillIn(linesFor('next-steps.txt', answers).join('\n'), valuesOf(answers, folder, {}))

const readTemplate = (name: string) => readFileSync(path.join(CHECKOUT ?? PACKAGE, 'deploy', name), 'utf8')

/** One pass, so that no inserted value is replaced again. */
function fillIn(template: string, values: Values): string {
  const longestFirst = Object.keys(values).sort((one, other) => other.length - one.length)
  const pattern = longestFirst.map((text) => text.replace(/[^\w/]/g, '\\$&')).join('|')
  return template.replace(new RegExp(pattern, 'g'), (text) => values[text] ?? '')
}

/** The lines whose conditions before the bar all hold. Lines without a bar are comments. */
function linesFor(list: string, answers: Answers): readonly string[] {
  const { service, proxy, database, cluster, jwksUrl, eventsUrl } = answers
  const isServer = service === 'systemd' && database === 'postgres' && cluster === ''
  const words = new Set([
    ...['', service, proxy, database, cluster === '' ? 'single' : 'cluster', isServer ? 'server' : ''],
    ...[jwksUrl === '' ? 'secret' : 'jwks', eventsUrl === '' ? '' : 'events'],
    ...[CHECKOUT === null ? 'package' : 'checkout', PROGRAM === ENTRY ? '' : 'install'],
  ])
  const lines = [...readTemplate(list).matchAll(/^([a-z ]*)\| ?(.*)$/gm)]
  return lines.flatMap(([, needed = '', text = '']) =>
    needed.split(' ').every((word) => words.has(word)) ? [text] : [],
  )
}

function valuesOf(answers: Answers, folder: string, existing: Variables): Values {
  // Only letters and digits: a password is used in an address, in SQL and in a file of variables.
  const newPassword = () => randomBytes(24).toString('hex')
  const url = existing.DATABASE_URL ?? ''
  const password = existing.POSTGRES_PASSWORD || (URL.canParse(url) && new URL(url).password)
  const own: Record<string, string> = {
    '{folder}': folder,
    '{environment}': path.join(folder, environmentName(answers)),
    '{node}': UNUSABLE.test(process.execPath) ? '/usr/bin/node' : process.execPath,
    '{program}': PROGRAM,
    '{checkout}': JSON.stringify(`${CHECKOUT}`.replaceAll('$', '$$$$')),
    '{version}': VERSION,
    '{sellersOwn}': Object.entries(SELLERS_OWN)
      .map((own) => own.join(': '))
      .join('\n  '),
    '{password}': password || newPassword(),
    '{superuserPassword}': existing.PATRONI_SUPERUSER_PASSWORD || newPassword(),
    '{replicationPassword}': existing.PATRONI_REPLICATION_PASSWORD || newPassword(),
  }
  for (const [name, answer] of Object.entries(answers)) own[`{${name}}`] = answer
  for (const [place, address] of answers.cluster.split(',').entries()) own[`{machine${place + 1}}`] = address
  const examples = linesFor('examples.txt', answers).map((line) => line.split(' = '))
  const filledIn = examples.map(([example, value = '']) => [example, fillIn(value, own)])
  return { ...own, ...Object.fromEntries(filledIn) }
}

/** Fills variables in where .env.example has them. Those of Compose are appended. */
function environmentOf(answers: Answers, values: Values, existing: Variables): string {
  const left = new Map<string, string>()
  for (const line of linesFor('variables.txt', answers)) {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? []
    const made = { '{token}': randomToken(), '{base64}': randomBytes(32).toString('base64') }
    const isKept = /\{(token|base64)\}/.test(value) && existing[name]
    left.set(name, isKept || fillIn(value, { ...values, ...made }))
  }
  const filled = readTemplate('../.env.example').replace(/^(\w+)=$/gm, (line, name: string) => {
    const value = left.get(name) ?? ''
    left.delete(name)
    return line + value
  })
  const ofCompose = [...left].map(([name, value]) => `${name}=${value}\n`).join('')
  return ofCompose === '' ? filled : `${filled}\n# --- Compose: the variables of its own files\n${ofCompose}`
}

const EXAMPLE = 'https://github.com/ishtirak/ishtirak/blob/main/docs/seller.example.json'

/** The variables whose values only the seller has, with their sources, in the order of need. */
export const SELLERS_OWN: Readonly<Record<string, string>> = {
  CHARGILY_SECRET_KEY:
    'Chargily Pay gives it: dashboard, Developers Corner; first the key of the test mode (test_sk_…), ' +
    'for real money that of the live mode (live_sk_…)',
  SELLER_FILE:
    `needed with a live key. Fill in a copy of ${EXAMPLE} with RC, NIF, NIS and AI from the register and ` +
    'the tax office, and name its path',
  SMTP_URL: 'the mail provider gives it: smtps://user:password@host. Without it no receipt is sent by mail',
}
