// Runs `ishtirak` as it was built, and ends by SIGKILL at the moment when it has printed the step that
// KILLED_AFTER names.
import { run } from '../../packages/ishtirak/dist/main/commands.js'

const write = process.stdout.write.bind(process.stdout)
process.stdout.write = (text, ...rest) => {
  if (String(text).startsWith(`${process.env.KILLED_AFTER}:`)) process.kill(process.pid, 'SIGKILL')
  return write(text, ...rest)
}
void run(process.argv.slice(2))
