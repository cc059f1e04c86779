// `npm run fault:flush -- [--commits 500] [--webhooks 100]`
import { parseArgs } from 'node:util'
import { buildOnce } from '../support/process.js'
import { requireTool } from '../support/system-tools.js'
import { countFlushes } from './flushes.js'

const COUNT_MAX = 10_000

export async function run(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      commits: { type: 'string', default: '500' },
      webhooks: { type: 'string', default: '100' },
    },
  })
  requireTool('strace')
  buildOnce()
  const { commits, flushes, webhooks, unflushed, webhookFlushes } = await countFlushes({
    commits: Math.min(COUNT_MAX, Number(values.commits)),
    webhooks: Math.min(COUNT_MAX, Number(values.webhooks)),
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
    webhooks === Math.min(COUNT_MAX, Number(values.webhooks))
  )
}
