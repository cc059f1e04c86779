// The sources as modules that a real process can import, compiled on the spot: for tests that need several processes.
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { Child } from './child-process.js'

const root = join(import.meta.dirname, '../..')

export interface CompiledSources {
  /** Runs `script`, a module that finds the sources beside it, as `./store/postgres.js`. */
  run(script: string, ...parameters: string[]): Child
  remove(): void
}

/** Below node_modules, so that packages are found; types are stripped, not checked. */
export function compileSources(...folders: readonly string[]): CompiledSources {
  const target = join(root, `node_modules/.cache/ishtirak-sources-${process.pid}`)
  for (const folder of folders) compileFolder(join(root, 'src', folder), join(target, folder))
  writeFileSync(join(target, 'package.json'), '{"type":"module"}')
  let scripts = 0
  return {
    run: (script, ...parameters) => {
      scripts += 1
      const path = join(target, `script-${scripts}.js`)
      writeFileSync(path, script)
      const stdio = ['ignore', 'pipe', 'inherit'] as const
      return new Child(spawn(process.execPath, [path, ...parameters], { stdio: [...stdio] }))
    },
    remove: () => rmSync(target, { recursive: true, force: true }),
  }
}

function compileFolder(source: string, target: string): void {
  const options = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext }
  for (const name of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue
    const { outputText } = ts.transpileModule(readFileSync(join(source, name), 'utf8'), {
      compilerOptions: options,
    })
    const path = join(target, name.replace(/\.ts$/, '.js'))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, outputText)
  }
}
