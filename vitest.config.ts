// Tests run against a real PostgreSQL server and the real embedded database, both started once for the whole
// run. There are three projects:
// - `quick` needs Node alone. `npm test` runs it.
// - `system` has one test of each kind that starts processes or needs programs of the system.
//   `npm run test:all` runs it first, because its files take longest.
// - `nightly` has the others of each kind, and what takes long or depends on how fast the machine is.
import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.js'
import { PATIENCE } from './test/support/wait-for.js'

const source = (file: string) => path.join(import.meta.dirname, 'packages', file)

// The packages find each other's sources, so that a test never runs what an older build has left.
const resolve = {
  alias: [
    { find: /^chargily-emulator$/, replacement: source('chargily-emulator/src/emulator.ts') },
    { find: /^chargily-emulator\/command$/, replacement: source('chargily-emulator/src/command.ts') },
    { find: /^ishtirak$/, replacement: source('ishtirak/src/main/create-ishtirak.ts') },
    { find: /^ishtirak\/internal$/, replacement: source('ishtirak/src/main/internal.ts') },
    { find: /^@ishtirak\/demo$/, replacement: source('demo/src/index.ts') },
    { find: /^@ishtirak\/client$/, replacement: source('client/src/index.ts') },
    { find: /^@ishtirak\/client\/events$/, replacement: source('client/src/events.ts') },
  ],
}
const SYSTEM = '**/*.system.test.ts'
const NIGHTLY = '**/*.nightly.test.ts'
const SHARED = {
  pool: 'forks',
  // The files of a worker share its modules, its databases and its provider: importing cost as much as
  // testing.
  isolate: false,
  globals: true,
  // Only what hangs is given up: no test is judged by how fast the machine is.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: PATIENCE },
} as const

const project = (name: string, include: string[], others: string[] = []) => ({
  resolve,
  test: { ...SHARED, name, include, exclude: ['**/node_modules/**', ...others] },
})

export default defineConfig({
  // For scripts/run.mjs: each project has its own.
  resolve,
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    // Each worker may hold an embedded database of some 300 MB, and continuous integration has 2 cores.
    maxWorkers: 2,
    // Compiled sources are kept for the next run, each under what it was compiled from.
    experimental: { fsModuleCache: true, fsModuleCachePath: 'node_modules/.cache/vitest-modules' },
    passWithNoTests: false,
    // Says what fails, and the summary.
    reporters: ['agent'],
    sequence: { sequencer: LongestFirst },
    projects: [
      project('quick', ['packages/*/{src,test}/**/*.test.ts', 'test/**/*.test.ts'], [SYSTEM, NIGHTLY]),
      project('system', [SYSTEM]),
      project('nightly', [NIGHTLY]),
    ],
  },
})
