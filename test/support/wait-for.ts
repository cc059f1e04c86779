import { setTimeout as elapse } from 'node:timers/promises'

const ASK_EVERY_MS = 20
/** The limit of `vi.waitFor`: longer than anything takes on a busy machine. */
export const PATIENCE = { timeout: 120_000 }

/** Resolves when `condition` holds; throws with the text of `describe` after two minutes. */
export async function waitFor(
  condition: () => boolean | Promise<boolean>,
  describe: () => string = () => String(condition),
): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE.timeout
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error(`waited in vain: ${describe()}`)
    await elapse(ASK_EVERY_MS)
  }
}
