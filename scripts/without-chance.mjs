// Two builds make the same cluster: the clock stands still and the random bytes are zero. The bytes are salts
// of passwords, and the embedded database has no server to sign in to.
import { createRequire } from 'node:module'

export async function withoutChance(make) {
  const crypto = createRequire(import.meta.url)('node:crypto')
  const { now } = Date
  const { randomFillSync } = crypto
  Date.now = () => Date.UTC(2026, 0, 1)
  crypto.randomFillSync = (view) => view.fill(0)
  try {
    return await make()
  } finally {
    Date.now = now
    crypto.randomFillSync = randomFillSync
  }
}
