// What TypeScript says to a program that uses the packages, under each way of resolving modules.
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
const WAYS = {
  bundler: { module: ModuleKind.ESNext, moduleResolution: ModuleResolutionKind.Bundler },
  node16: { module: ModuleKind.Node16, moduleResolution: ModuleResolutionKind.Node16 },
  nodenext: { module: ModuleKind.NodeNext, moduleResolution: ModuleResolutionKind.NodeNext },
} as const
export type Way = keyof typeof WAYS

/** Compiles programs in this folder, where the packages are installed; gives what the compiler finds. */
export function typeErrors(folder: string, way: Way): string {
  const compile = (files: Record<string, string>, options: ts.CompilerOptions) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
    const rootNames = Object.keys(files).map((name) => path.join(folder, name))
    const all = { ...SHARED, ...WAYS[way], ...options }
    return ts.getPreEmitDiagnostics(ts.createProgram(rootNames, all, hostOf(all)))
  }
  const commonJs = way === 'bundler' ? {} : { 'client.cts': CLIENT }
  return ts.formatDiagnostics(
    [
      // Their declarations are checked too, in a program that knows nothing of Node.
      ...compile(
        { 'client.mts': CLIENT, ...commonJs, 'emulator.mts': EMULATOR },
        { types: [], skipLibCheck: false },
      ),
      ...compile({ 'service.mts': SERVICE }, NODE),
    ],
    { getCanonicalFileName: (name) => name, getCurrentDirectory: () => folder, getNewLine: () => '\n' },
  )
}

const declarations = new Map<string, ts.SourceFile | undefined>()

/**
 * Declarations, seconds of parsing, are the same under every way but for what `require` and `import` make of
 * them.
 */
function hostOf(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options)
  const read: ts.CompilerHost['getSourceFile'] = (name, ...given) => host.getSourceFile(name, ...given)
  const keep: typeof read = (name, version, ...given) => {
    const key = `${name} ${typeof version === 'object' ? version.impliedNodeFormat : ''}`
    if (!declarations.has(key)) declarations.set(key, read(name, version, ...given))
    return declarations.get(key)
  }
  const isDeclared = (name: string) => /\.d\.[cm]?ts$/.test(name)
  return {
    ...host,
    getSourceFile: (name, ...given) => (isDeclared(name) ? keep : read)(name, ...given),
  }
}

const SHARED = {
  strict: true,
  // Whether the compiler's own libraries are sound is for the compiler's tests.
  skipDefaultLibCheck: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
}
/** A program in Node, which the service and its plugin for Fastify are for. */
const NODE = { types: ['node'], typeRoots: [path.join(ROOT, 'node_modules/@types')], skipLibCheck: false }
