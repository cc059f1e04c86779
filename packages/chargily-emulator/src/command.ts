// The command: reads options, starts the emulator, prints its address and key, and ends on a signal.
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { type Dialect, startEmulator } from './emulator.js'

const USAGE = `Chargily Pay V2 on real HTTP, without Chargily

  --port <number>     port (4000)
  --host <address>    address to listen on (127.0.0.1)
  --key <secret>      API key to accept; random if not given
  --webhook <url>     where events go whose checkout names no endpoint
  --state <file>      journal that survives a restart
  --dialect <name>    how events look: wire-2026 or docs (wire-2026)
  --help
`

/** Resolves when it listens. Throws for an unknown option and for an address in use. */
export async function emulate(args: readonly string[]): Promise<void> {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: '4000' },
      host: text,
      key: text,
      webhook: text,
      state: text,
      dialect: { type: 'string', default: 'wire-2026' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return print(USAGE)
  const { host, webhook, state } = values
  const key = values.key ?? `test_sk_${randomBytes(30).toString('base64url')}`
  const emulator = await startEmulator({
    secretKeys: [key],
    port: readPort(values.port),
    dialect: readDialect(values.dialect),
    ...(host === undefined ? {} : { host }),
    ...(webhook === undefined ? {} : { webhookEndpoint: webhook }),
    ...(state === undefined ? {} : { stateFile: state }),
  })
  print(`Chargily Pay V2, emulated: ${emulator.url}/test/api/v2
key: ${key}
clock, faults, deliveries: ${emulator.url}/_sandbox
`)
  const end = () => emulator.close().then(() => process.exit(0))
  process.once('SIGTERM', end)
  process.once('SIGINT', end)
}

function readPort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new Error('--port is a number from 0 to 65535')
  return Number(text)
}

function readDialect(text: string): Dialect {
  if (text === 'wire-2026' || text === 'docs') return text
  throw new Error('--dialect is wire-2026 or docs')
}

function print(text: string): void {
  process.stdout.write(text)
}
