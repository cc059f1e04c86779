// npm run nightly -- simulate --seed 7 --days 120: runs one seed; --seeds 1-2000 runs many. What it does is
// in test/simulation; this file only lets Node read it.
import { register } from 'node:module'

process.setSourceMapsEnabled(true)
register('./typescript-hooks.mjs', import.meta.url)
await import('../test/simulation/command.ts')
