// Tests run against a real PostgreSQL server and the real embedded database, both started once for the whole run.
import path from 'node:path'
import { defineConfig } from 'vitest/config'

const source = (file: string) => path.join(import.meta.dirname, 'packages', file)

export default defineConfig({
  resolve: {
    // The packages find each other's sources, so that a test never runs what an older build has left.
    alias: [
      { find: /^chargily-emulator$/, replacement: source('chargily-emulator/src/emulator.ts') },
      { find: /^chargily-emulator\/command$/, replacement: source('chargily-emulator/src/command.ts') },
      { find: /^@ishtirak\/client$/, replacement: source('client/src/index.ts') },
    ],
  },
  test: {
    include: ['packages/*/{src,test}/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // Each worker may hold an embedded database of some 300 MB, and continuous integration has 2 cores.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    passWithNoTests: false,
  },
})
