#!/usr/bin/env node
// The package's command: `npx chargily-emulator --port 4000`. In the repository before the build, so that npm can link it.
const { emulate } = await import('../dist/command.js')

emulate(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
})
