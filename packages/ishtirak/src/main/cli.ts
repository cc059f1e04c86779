// The program's entry: whether this Node runs it, what V8 must know before it grows, then all the rest.
import { keepHeapSmall } from '../runtime/heap.js'
import { nodeProblem } from '../runtime/node-version.js'
import { NODE_RANGE } from '../runtime/package.js'

const problem = nodeProblem(process.version, NODE_RANGE)
if (problem !== null) {
  process.stderr.write(`${problem}\n`)
  process.exit(1)
}
keepHeapSmall(process.env.DATABASE_URL ? 'server' : 'embedded')
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  // The reader of a pipe has read enough, as `head` does.
  process.exit(1)
})
const { run } = await import('./commands.js')
// Not awaited: a service that serves has no end here.
void run(process.argv.slice(2))
