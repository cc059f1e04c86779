// The sources as modules that a real process can import, compiled on the spot: for tests that need several
// processes.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { Child } from './child-process.js'

const root = join(import.meta.dirname, '../..')
const source = join(root, 'packages/ishtirak/src')

export interface CompiledSources {
  /** Runs `script`, a module that finds the sources beside it, as `./database/server/postgres.js`. */
  run(script: string, ...parameters: string[]): Child
  remove(): void
}

/** `entries` and all that they import, as `database/server/postgres.ts`. Types are stripped, not checked. */
export function compileSources(...entries: readonly string[]): CompiledSources {
  // In the package, so that its dependencies are found.
  const target = join(root, 'packages/ishtirak/node_modules/.cache', `compiled-${randomUUID()}`)
  const compiled = new Set<string>()
  const waiting = [...entries]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (compiled.has(file)) continue
    compiled.add(file)
    waiting.push(...compileFile(file, target))
  }
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

/** Gives the sources that the file imports at run time. */
function compileFile(file: string, target: string): string[] {
  const compilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
  }
  const { outputText } = ts.transpileModule(readFileSync(join(source, file), 'utf8'), { compilerOptions })
  const path = join(target, file.replace(/\.ts$/, '.js'))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, outputText)
  return [...outputText.matchAll(/from '(\.[^']+)\.js'/g)].map(
    ([, name]) => `${join(dirname(file), name ?? '')}.ts`,
  )
}
