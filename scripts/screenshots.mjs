// npm run screenshots: the pictures of docs/pictures. What they show is in
// test/browser/screenshots-command.ts; this file lets Node read it, and makes ids the same in each run.
import crypto, { createHash } from 'node:crypto'
import { register, syncBuiltinESMExports } from 'node:module'

let drawn = 0
const drawBytes = (size) => {
  const blocks = Array.from({ length: Math.ceil(size / 32) }, () =>
    createHash('sha256').update(`pictures ${drawn++}`).digest(),
  )
  return Buffer.concat(blocks).subarray(0, size)
}
crypto.randomBytes = (size, done) => (done ? done(null, drawBytes(size)) : drawBytes(size))
syncBuiltinESMExports()

process.setSourceMapsEnabled(true)
register('./typescript-hooks.mjs', import.meta.url)
const { takeScreenshots } = await import('../test/browser/screenshots-command.ts')
await takeScreenshots()
process.exit(0)
