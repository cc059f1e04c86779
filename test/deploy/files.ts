import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { png } from '../support/proof-files.js'

export const root = path.resolve(import.meta.dirname, '../..')
export const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

const MIB = 1024 * 1024
/** Debian keeps servers where only root looks. */
export const PATH = `${process.env.PATH}:/usr/sbin`

export function makeCertificate(folder: string, name: string): void {
  const files = ['-keyout', path.join(folder, 'privkey.pem'), '-out', path.join(folder, 'fullchain.pem')]
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`, '-days', '2']
  execFileSync('openssl', ['req', '-x509', ...key, ...subject, ...files], { stdio: 'ignore' })
}

export function imageOf(folder: string, mib: number): string {
  const file = path.join(folder, `${mib}.png`)
  writeFileSync(file, png({ extra: mib * MIB - png({ extra: 1 }).length + 1 }))
  return file
}

/** The command that runs this site in the foreground, with all files in `folder`. */
export function nginxWith(folder: string, site: string): readonly string[] {
  writeFileSync(path.join(folder, 'site.conf'), site)
  const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  )
  const http = `http { ${own.join(' ')} include ${folder}/site.conf; }`
  writeFileSync(
    path.join(folder, 'main.conf'),
    `daemon off; pid ${folder}/pid; error_log stderr; events {} ${http}`,
  )
  return ['nginx', '-c', path.join(folder, 'main.conf')]
}

export function caddyWith(folder: string, site: string, global: readonly string[] = []): readonly string[] {
  const file = path.join(folder, 'main.caddy')
  writeFileSync(file, `{\n\t${['admin off', ...global].join('\n\t')}\n}\n${site}`)
  return ['caddy', 'run', '--adapter', 'caddyfile', '--config', file]
}

/** The files of Compose in this folder, as `docker-compose` reads them: .env says which they are. */
export function composedIn(folder: string) {
  const yaml = execFileSync('docker-compose', ['config'], { env: { PATH }, cwd: folder })
  // docker-compose is written in Python and brings its reader of YAML along.
  const toJson = 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)'
  return JSON.parse(execFileSync('python3', ['-c', toJson], { input: yaml, encoding: 'utf8' }))
}

/** Each text must be there: a sample that changes changes its list. */
export function replaced(text: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((config, [from, to]) => {
    if (!config.includes(from)) throw new Error(`${from} is not in:\n${config}`)
    return config.replaceAll(from, to)
  }, text)
}
