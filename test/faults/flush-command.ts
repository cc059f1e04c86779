// `npm run nightly -- fault:flush [--commits 500] [--webhooks 100]`
import { requireTool } from '../support/system-tools.js'
import { faultCommand, print } from './command.js'
import { countFlushes } from './flushes.js'

export async function run(args: readonly string[]): Promise<boolean> {
  const asked = faultCommand('flush', 'Counts the flushes that reach the disk, with strace', {
    commits: ['how many commits', 500, 10_000],
    webhooks: ['how many webhooks', 100, 10_000],
  })
    .parse(args, { from: 'user' })
    .opts<{ commits: number; webhooks: number }>()
  requireTool('strace')
  const { flushes, ...found } = await countFlushes(asked)
  const of = (phase: string) => flushes[phase] ?? 0
  print({ ...flushes, ...found })
  return (
    of('sequential commits') >= asked.commits &&
    of('reads') === 0 &&
    of('commits together') > 0 &&
    found.unflushed === 0 &&
    found.webhooks === asked.webhooks
  )
}
