// npm run screenshots: the pictures of docs/console.md. What they show is in
// test/browser/screenshots-command.ts; this file only lets Node read it.
import { register } from 'node:module'

process.setSourceMapsEnabled(true)
register('./typescript-hooks.mjs', import.meta.url)
const { takeScreenshots } = await import('../test/browser/screenshots-command.ts')
await takeScreenshots()
process.exit(0)
