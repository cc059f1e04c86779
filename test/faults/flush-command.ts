// `npm run nightly -- fault:flush [--commits 500] [--webhooks 100]`
import { Command } from 'commander'
import { numberWithin } from '../../packages/ishtirak/src/acts/cli-values.js'
import { buildOnce } from '../support/process.js'
import { requireTool } from '../support/system-tools.js'
import { countFlushes } from './flushes.js'

const COUNT_MAX = 10_000

export async function run(args: readonly string[]): Promise<boolean> {
  const values = new Command('npm run nightly -- fault:flush')
    .description('Counts the flushes that reach the disk, with strace')
    .option('--commits <number>', 'how many commits', numberWithin({ minimum: 1, maximum: COUNT_MAX }), 500)
    .option('--webhooks <number>', 'how many webhooks', numberWithin({ minimum: 1, maximum: COUNT_MAX }), 100)
    .parse(args, { from: 'user' })
    .opts<{ commits: number; webhooks: number }>()
  requireTool('strace')
  buildOnce()
  const { commits, flushes, webhooks, unflushed, webhookFlushes } = await countFlushes({
    commits: values.commits,
    webhooks: values.webhooks,
  })
  const of = (phase: string) => flushes[phase] ?? 0
  process.stdout.write(`flushes seen by strace (fsync, fdatasync), embedded database
${commits} commits one after the other   ${of('sequential commits')}
${commits} reads                         ${of('reads')}
${commits} commits started together      ${of('commits together')}
${webhooks} webhooks answered 200 by the service: ${webhookFlushes} flushes, ${unflushed} answered without one
`)
  return (
    of('sequential commits') >= commits &&
    of('reads') === 0 &&
    of('commits together') > 0 &&
    unflushed === 0 &&
    webhooks === values.webhooks
  )
}
