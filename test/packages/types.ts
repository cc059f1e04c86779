import { writeFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { ROOT } from './installation.js'

const CLIENT = `
import { type Consumed, createClient } from '@ishtirak/client'
import { eventHandler } from '@ishtirak/client/events'
const billing = createClient({ url: 'http://127.0.0.1:9', apiKey: 'key', whenUnreachable: 'open' })
export const answer: Promise<Consumed> = billing.consume('user', 'deploys_per_day', { operation_id: 'one' })
export const receive: (request: Request) => Promise<Response> = eventHandler({
  secrets: 'whsec_AAAA',
  on: { 'payment.paid': ({ data }) => data.payment.amount },
})
// @ts-expect-error there is no such limit
billing.consume('user', 'deploys', { operation_id: 'one' })
`
const EMULATOR = `
import { type Emulator, startEmulator } from 'chargily-emulator'
export const emulator: Promise<Emulator> = startEmulator({ secretKeys: ['test_sk_mine'] })
// @ts-expect-error a port is a number
startEmulator({ secretKeys: [], port: '4000' })
`
const SERVICE = `
import { type Billing, createIshtirak } from 'ishtirak'
const identify = () => ({ userId: 'user' })
const ishtirak = await createIshtirak({ database: { url: 'memory:' }, config: {}, identify })
const billing: Billing = ishtirak.billing
export const status: 'active' | 'past_due' | 'expired' | 'canceled' = (await billing.status('user')).status
// @ts-expect-error a price is a number
export const price: string | undefined = billing.plans()[0]?.price
`

const { ModuleKind, ModuleResolutionKind } = ts
/** `node16` says the same as `nodenext`. */
const WAYS = {
  bundler: { module: ModuleKind.ESNext, moduleResolution: ModuleResolutionKind.Bundler },
  nodenext: { module: ModuleKind.NodeNext, moduleResolution: ModuleResolutionKind.NodeNext },
} as const
const SHARED: ts.CompilerOptions = {
  ...{ strict: true, noEmit: true, target: ts.ScriptTarget.ES2023 },
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  // The declarations of the packages are checked too; the compiler's own are for the compiler's tests.
  ...{ skipLibCheck: false, skipDefaultLibCheck: true },
}
/** A program in Node, which the service and its plugin for Fastify are for. */
const NODE = { types: ['node'], typeRoots: [path.join(ROOT, 'node_modules/@types')] }

/** Compiles programs in this folder, where the packages are installed; gives what the compiler finds. */
export function typeErrors(folder: string, way: keyof typeof WAYS): string {
  const compile = (files: Record<string, string>, options: ts.CompilerOptions) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
    const rootNames = Object.keys(files).map((name) => path.join(folder, name))
    return ts.getPreEmitDiagnostics(ts.createProgram(rootNames, { ...SHARED, ...WAYS[way], ...options }))
  }
  const commonJs = way === 'bundler' ? {} : { 'client.cts': CLIENT }
  return ts.formatDiagnostics(
    [
      // A program that knows nothing of Node.
      ...compile({ 'client.mts': CLIENT, ...commonJs, 'emulator.mts': EMULATOR }, { types: [] }),
      ...compile({ 'service.mts': SERVICE }, NODE),
    ],
    { getCanonicalFileName: (name) => name, getCurrentDirectory: () => folder, getNewLine: () => '\n' },
  )
}
