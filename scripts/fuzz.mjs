// npm run nightly -- fuzz --calls 100000 --seed 1: odd calls against every route (docs/internals/fuzz.md).
// This file only lets Node read test/fuzz.
import { register } from 'node:module'

process.setSourceMapsEnabled(true)
register('./typescript-hooks.mjs', import.meta.url)
const { run } = await import('../test/fuzz/command.ts')
process.exit((await run(process.argv.slice(2))) ? 0 : 1)
