// The package's command: `npx chargily-emulator --port 4000`.
import { emulate } from './command.js'

emulate(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
})
