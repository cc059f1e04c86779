// What is left to do once the files are there, as commands to copy, and what only the seller has.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { VERSION } from '../runtime/package.js'
import type { Answers } from './answers.js'
import { environmentName } from './production.js'
import { SELLERS_OWN } from './sellers-own.js'
import { NODE, PROGRAM } from './templates.js'

export function nextSteps(answers: Answers, folder: string): string {
  const steps = answers.service === 'systemd' ? unitSteps(answers, folder) : composeSteps(answers, folder)
  const file = path.join(folder, environmentName(answers))
  const forPlatform = [
    'PLATFORM_API_KEYS',
    ...(answers.jwksUrl === '' ? ['AUTH_JWT_SECRET (for tokens of browsers)'] : []),
    ...(answers.eventsUrl === '' ? [] : ['EVENTS_SECRETS']),
  ].join(', ')
  const own = Object.entries(SELLERS_OWN).map(([name, how]) => `  ${name}\n    ${how}`)
  return `
Secrets were made where they were missing. They stand in ${file} and nowhere else; the platform needs
${forPlatform} from it, you the key in OPERATOR_KEYS.

Only the seller has these; write them into ${file}:
${own.join('\n')}

Then:
${steps.map((step) => `  ${step}`).join('\n')}
`
}

/** For a shell. */
const quoted = (word: string) => (/^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

function certificate({ domain }: Answers): string {
  return `certbot certonly --standalone --domain ${domain}    # before nginx listens on port 80`
}

function unitSteps(answers: Answers, folder: string): readonly string[] {
  const inFolder = (name: string) => quoted(path.join(folder, name))
  const { installFirst } = PROGRAM
  const isServer = answers.database === 'postgres'
  const node = `${quoted(NODE)} --env-file=$CREDENTIALS_DIRECTORY/environment`
  const doctor = quoted(`exec ${node} ${quoted(PROGRAM.file)} doctor`)
  const credential = quoted(`LoadCredential=environment:${path.join(folder, 'environment')}`)
  return [
    ...(installFirst === null ? [] : [`npm install --prefix ${installFirst} ishtirak@${VERSION}`]),
    'useradd --system --home-dir /var/lib/ishtirak --shell /usr/sbin/nologin ishtirak',
    ...(isServer ? [`sudo -u postgres psql < ${inFolder('database.sql')}`] : []),
    `cp ${inFolder('ishtirak.service')} /etc/systemd/system/`,
    ...(isServer ? [`cp -r ${inFolder('ishtirak.service.d')} /etc/systemd/system/`] : []),
    'systemctl daemon-reload && systemctl enable --now ishtirak',
    ...(answers.proxy === 'nginx'
      ? [
          certificate(answers),
          `cp ${inFolder('nginx.conf')} /etc/nginx/sites-enabled/ishtirak.conf && systemctl reload nginx`,
        ]
      : [`cp ${inFolder('Caddyfile')} /etc/caddy/Caddyfile && systemctl reload caddy`]),
    `cp ${inFolder('prometheus-rules.yml')} /etc/prometheus/    # its first lines say the job`,
    `systemd-run --pipe --wait --property=User=ishtirak --property=StateDirectory=ishtirak \\
    --property=${credential} /bin/sh -c ${doctor}`,
  ]
}

function composeSteps(answers: Answers, folder: string): readonly string[] {
  return [
    `cd ${quoted(folder)}`,
    ...(answers.proxy === 'nginx' ? [certificate(answers)] : []),
    'docker compose up --detach --build',
    'docker compose exec ishtirak node node_modules/ishtirak/dist/main/cli.js doctor',
  ]
}

/** The folder of the git checkout that `folder` lies in: its secrets could be committed. */
export function checkoutAbove(folder: string): string | null {
  if (existsSync(path.join(folder, '.git'))) return folder
  const above = path.dirname(folder)
  return above === folder ? null : checkoutAbove(above)
}
