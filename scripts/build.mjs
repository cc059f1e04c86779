// Compiles src/ to dist/ with the TypeScript compiler. `--if-stale` does so only when a source is newer than
// the last build, so that a restart of the service does not pay for a compiler that has nothing to do.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const dist = path.join(root, 'dist')
const stamp = path.join(dist, '.built')
const inputs = ['src', 'package.json', 'tsconfig.json', 'tsconfig.build.json']

const newest = (file) => {
  const stat = statSync(file)
  if (!stat.isDirectory()) return stat.mtimeMs
  return readdirSync(file).reduce((most, name) => Math.max(most, newest(path.join(file, name))), stat.mtimeMs)
}

const builtAt = () => statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0
const isStale = () => inputs.some((input) => newest(path.join(root, input)) > builtAt())

/** Beside dist/ first, and in its place at once: whoever runs the last build meanwhile finds all of it or none. */
const build = () => {
  const fresh = path.join(root, `dist.${process.pid}`)
  const old = path.join(root, `dist.old.${process.pid}`)
  try {
    writeStamp(fresh)
    const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc')
    const project = ['-p', 'tsconfig.build.json', '--outDir', fresh]
    execFileSync(process.execPath, [compiler, ...project], { cwd: root, stdio: 'inherit' })
    // What the compiler does not copy: style sheets and templates.
    cpSync(path.join(root, 'src'), fresh, {
      recursive: true,
      filter: (file) => statSync(file).isDirectory() || !/\.(ts|tsx)$/.test(file),
    })
    chmodSync(path.join(fresh, 'cli.js'), 0o755)
    if (existsSync(dist)) renameSync(dist, old)
    renameSync(fresh, dist)
  } finally {
    for (const folder of [fresh, old]) rmSync(folder, { recursive: true, force: true })
  }
}

/** Made before the compiler reads: what is saved meanwhile is newer, and is built next time. */
const writeStamp = (folder) => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, '.built'), '')
}

if (!process.argv.includes('--if-stale') || isStale()) build()
