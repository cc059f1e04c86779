// Two builds give the same cluster: its maker runs with a clock that stands and the same random bytes every
// time. The bytes are salts for users that do not exist, who could sign in to a server; here is none.
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
