// The program's entry. It checks the version of Node and sets options of V8 before everything else is loaded.
import { existsSync, readFileSync } from 'node:fs'
import { keepHeapSmall } from '../runtime/heap.js'
import { NODE_RANGE, nodeProblem } from '../runtime/package.js'

const problem = nodeProblem(process.version, NODE_RANGE)
if (problem !== null) {
  process.stderr.write(`${problem}\n`)
  process.exit(1)
}
const words = process.argv.slice(2)
if (['-h', '--help'].includes(words.at(-1) ?? '')) {
  // The build made this file, because loading all commands takes a second.
  const file = new URL('./help.json', import.meta.url)
  const texts = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const command = words.slice(0, -1).join(' ')
  if (Object.hasOwn(texts, command)) {
    process.stdout.write(texts[command])
    process.exit(0)
  }
}
keepHeapSmall()
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  // The reader of a pipe has read enough, as `head` does.
  process.exit(1)
})
const { run } = await import('./commands.js')
// Not awaited, because a running service never ends here.
void run(words)
