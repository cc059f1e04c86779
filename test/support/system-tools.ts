// Files that need one are called `*.system.test.ts`. Only `npm run test:all` runs them, and fails without it.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const CHROMIUM = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

const TOOLS = {
  chromium: () => foundChromium(),
  'poppler-utils': () => run('pdftotext', '-v'),
  curl: () => run('curl', '--version'),
  pgbouncer: () => run('pgbouncer', '--version'),
  // A container may hold strace and forbid it to trace.
  strace: () => run('strace', '-o', '/dev/null', 'true'),
  podman: () => run('podman', '--version'),
  nginx: () => run('nginx', '-V'),
  caddy: () => run('caddy', 'version'),
  prometheus: () => run('promtool', '--version'),
  'docker-compose': () => run('docker-compose', 'version', '--short'),
  'php-cli': () => run('php', '--version'),
  'php-curl': () => run('php', '-r', 'echo curl_version()["version"];'),
  'php-sqlite3': () => run('php', '-r', 'echo SQLite3::version()["versionString"];'),
  'php-laravel-framework': () =>
    run('php', '-r', "require 'Illuminate/autoload.php'; echo Illuminate\\Foundation\\Application::VERSION;"),
  python3: () => run('python3', '--version'),
  // Another Python may come first in PATH, and has no package of the system.
  'python3-django': () => run('/usr/bin/python3', '-m', 'django', '--version'),
  'golang-go': () => run('go', 'version'),
  systemd: () => run('systemd-analyze', '--version'),
  bsdutils: () => run('script', '--version'),
} as const

/** Its name is that of the package in Debian. */
export type SystemTool = keyof typeof TOOLS

export function requireTool(tool: SystemTool): string {
  try {
    return TOOLS[tool]()
  } catch (error) {
    throw new Error(`${tool} is missing (apt-get install ${tool}) or may not run: ${error}`)
  }
}

export function foundChromium(): string {
  const found = CHROMIUM.find((place) => place !== undefined && existsSync(place))
  if (found === undefined) throw new Error('no Chromium in the usual places; CHROMIUM_PATH names another')
  return found
}

function run(program: string, ...parameters: readonly string[]): string {
  // Debian keeps servers where only root looks.
  const PATH = `${process.env.PATH}:/usr/sbin`
  return execFileSync(program, parameters, {
    env: { PATH },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}
