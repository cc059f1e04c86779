// Waits for a condition outside of vitest, without `vi.waitFor`: polls it, and throws after a minute.
import { setTimeout as elapse } from 'node:timers/promises'

const ASK_EVERY_MS = 20
/** Longer than anything here takes on a busy machine. */
const GIVE_UP_MS = 60_000

/** Resolves when `condition` holds; throws with the text of `describe` after a minute. */
export async function waitFor(
  condition: () => boolean | Promise<boolean>,
  describe: () => string = () => String(condition),
): Promise<void> {
  const giveUpAt = performance.now() + GIVE_UP_MS
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error(`waited in vain: ${describe()}`)
    await elapse(ASK_EVERY_MS)
  }
}
