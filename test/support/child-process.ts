// Real processes for tests that kill them: a script runs against the store compiled on the spot, and what it prints is
// read line by line.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const root = join(import.meta.dirname, '../..')

export interface CompiledStore {
  /** Runs `script`, a module that finds the store's files beside it, as `./pglite.js`. */
  run(script: string, ...parameters: string[]): Child
  remove(): void
}

/** Below node_modules, so that packages are found; types are stripped, not checked. */
export function compileStore(): CompiledStore {
  const folder = join(root, `node_modules/.cache/ishtirak-store-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  for (const name of storeFiles()) {
    const source = readFileSync(join(root, 'src/store', name), 'utf8')
    const options = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext }
    const { outputText } = ts.transpileModule(source, { compilerOptions: options })
    writeFileSync(join(folder, name.replace(/\.ts$/, '.js')), outputText)
  }
  let scripts = 0
  return {
    run: (script, ...parameters) => {
      scripts += 1
      const path = join(folder, `script-${scripts}.js`)
      writeFileSync(path, script)
      return new Child(
        spawn(process.execPath, [path, ...parameters], { stdio: ['ignore', 'pipe', 'inherit'] }),
      )
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function storeFiles(): string[] {
  return readdirSync(join(root, 'src/store')).filter((name) => name.endsWith('.ts'))
}

export class Child {
  readonly lines: string[] = []
  readonly #ended: Promise<unknown>

  constructor(private readonly process: ChildProcess) {
    this.#ended = once(process, 'close')
    let rest = ''
    process.stdout?.on('data', (chunk: Buffer) => {
      const parts = `${rest}${chunk}`.split('\n')
      rest = parts.pop() ?? ''
      this.lines.push(...parts)
    })
  }

  get id(): number {
    return this.process.pid ?? 0
  }

  /** As a power cut would, but for the machine. Resolves when it is gone. */
  async kill(): Promise<void> {
    this.process.kill('SIGKILL')
    await this.#ended
  }

  async ended(): Promise<void> {
    await this.#ended
  }
}
