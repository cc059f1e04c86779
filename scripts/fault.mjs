// `npm run nightly -- fault:kill`, `fault:flush`, `fault:server`, `fault:hang`, `fault:pgbouncer`,
// `fault:patroni`: breaks what carries the service, counts what was lost, prints the figures, and fails if
// there was any. What each does is in docs/internals/faults.md.
import { register } from 'node:module'

register('./typescript-hooks.mjs', import.meta.url)
const [name, ...options] = process.argv.slice(2)
const commands = {
  kill: () => import('../test/faults/kill-command.ts'),
  flush: () => import('../test/faults/flush-command.ts'),
  'flush-worker': () => import('../test/faults/flush-worker.ts'),
  server: () => import('../test/faults/server-command.ts'),
  hang: () => import('../test/faults/hang-command.ts'),
  pgbouncer: () => import('../test/faults/pgbouncer-command.ts'),
  patroni: () => import('../test/faults/patroni-command.ts'),
}
const load = commands[name]
if (load === undefined) {
  process.stderr.write(`one of: ${Object.keys(commands).join(', ')}\n`)
  process.exit(2)
}
const { run } = await load()
process.exit((await run(options)) ? 0 : 1)
