import { spawn } from 'node:child_process'
import path from 'node:path'
import { Child } from './child-process.js'
import { buildOnce } from './process.js'

const dist = path.resolve(import.meta.dirname, '../../packages/ishtirak/dist')

/** Runs `script`, a module that takes what it needs from `./main/internal.js`. */
export function runBuilt(script: string, ...parameters: readonly string[]): Child {
  buildOnce()
  // In place of the script's name stands a dash: its parameters begin with the third word.
  const words = ['--input-type=module', '--eval', script, '-', ...parameters]
  return new Child(spawn(process.execPath, words, { cwd: dist, stdio: ['ignore', 'pipe', 'inherit'] }))
}
