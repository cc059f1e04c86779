// Compiles src/ to dist/ with the TypeScript compiler. `--if-stale` does so only when a source is newer than
// the last build, so that a restart of the service does not pay for a compiler that has nothing to do.
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const stamp = path.join(root, 'dist', '.tsbuildinfo')
const inputs = ['src', 'package.json', 'tsconfig.json', 'tsconfig.build.json']

const newest = (file) => {
  const stat = statSync(file)
  if (!stat.isDirectory()) return stat.mtimeMs
  return readdirSync(file).reduce((most, name) => Math.max(most, newest(path.join(file, name))), stat.mtimeMs)
}

const stale = () =>
  !existsSync(stamp) || inputs.some((input) => newest(path.join(root, input)) > statSync(stamp).mtimeMs)

if (!process.argv.includes('--if-stale') || stale()) {
  // Emptied first: a file that left src/ must not live on in dist/.
  rmSync(path.join(root, 'dist'), { recursive: true, force: true })
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
  // What the compiler does not copy: style sheets and templates.
  cpSync(path.join(root, 'src'), path.join(root, 'dist'), {
    recursive: true,
    filter: (file) => statSync(file).isDirectory() || !/\.(ts|tsx)$/.test(file),
  })
  if (existsSync(path.join(root, 'dist', 'cli.js'))) chmodSync(path.join(root, 'dist', 'cli.js'), 0o755)
  const now = new Date()
  if (existsSync(stamp)) utimesSync(stamp, now, now)
}
