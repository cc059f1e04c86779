// Runs commands of `ishtirak`, as they were built, one after the other in this process, which loads them
// once: half a second each. A message has the words and the environment; the answer is what a process of its
// own would have printed and ended with.
import { run } from '../../packages/ishtirak/dist/main/commands.js'

const Ended = Symbol('ended')
let printed
let code

for (const name of ['stdout', 'stderr'])
  process[name].write = (text) => {
    // What comes after an end, no process would print.
    if (code === undefined) printed.push([name, String(text)])
    return true
  }
process.exit = (given = process.exitCode ?? 0) => {
  code ??= given
  throw Ended
}

process.on('message', async ({ words, env }) => {
  printed = []
  code = undefined
  process.exitCode = undefined
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  try {
    await run(words)
  } catch (error) {
    if (error !== Ended) throw error
  }
  const of = (wanted) => printed.filter(([name]) => wanted.includes(name)).map(([, text]) => text)
  const output = of(['stdout', 'stderr']).join('')
  process.send({ code: code ?? process.exitCode ?? 0, output, errors: of(['stderr']).join('') })
})
