// node scripts/run.mjs FILE [options]: runs a command of test/ that is written in TypeScript, compiled as the
// tests are. `npm run nightly` and `npm run screenshots` call it.
import path from 'node:path'
import { createViteServer } from 'vitest/node'

const compiler = await createViteServer({
  configFile: 'vitest.config.ts',
  server: { middlewareMode: true, hmr: false, watch: null, ws: false },
  optimizeDeps: { noDiscovery: true },
  // The oldest Node that is supported has no `using`.
  oxc: { target: 'node20' },
})
const [file, ...options] = process.argv.slice(2)
const { run } = await compiler.environments.ssr.runner.import(path.resolve(file))
process.exit((await run(options)) ? 0 : 1)
