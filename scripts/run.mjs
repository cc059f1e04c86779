// node scripts/run.mjs NAME [options]: runs a command of test/ that is written in TypeScript. It is called by
// `npm run nightly` and `npm run screenshots`.
import { register } from 'node:module'

const COMMANDS = {
  simulate: () => import('../test/simulation/command.ts'),
  fuzz: () => import('../test/fuzz/command.ts'),
  kill: () => import('../test/faults/kill-command.ts'),
  flush: () => import('../test/faults/flush-command.ts'),
  'flush-worker': () => import('../test/faults/flush-worker.ts'),
  server: () => import('../test/faults/server-command.ts'),
  hang: () => import('../test/faults/hang-command.ts'),
  pgbouncer: () => import('../test/faults/pgbouncer-command.ts'),
  patroni: () => import('../test/faults/patroni-command.ts'),
  screenshots: () => import('../test/browser/screenshots-command.ts'),
}

process.setSourceMapsEnabled(true)
register('./typescript.mjs', import.meta.url)
const [name, ...options] = process.argv.slice(2)
const { run } = await COMMANDS[name]()
process.exit((await run(options)) ? 0 : 1)
