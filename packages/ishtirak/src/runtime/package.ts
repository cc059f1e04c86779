// What package.json says of this program: its version, the Node that it needs, and the packages that an
// installation may leave out with `npm install --omit=optional`.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** `package.json` is next to `src` and next to `dist`. */
const { version, engines, optionalDependencies, peerDependencies } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as Readonly<Record<'optionalDependencies' | 'peerDependencies', Readonly<Record<string, string>>>> & {
  readonly version: string
  readonly engines: { readonly node: string }
}
const optional = { ...optionalDependencies, ...peerDependencies }

export const VERSION = version
export const NODE_RANGE = engines.node

const { resolve } = createRequire(import.meta.url)

/** The optional packages among these that are not installed, as arguments of `npm install`. */
export function missingPackages(names: readonly string[]): readonly string[] {
  return names.filter((name) => !isInstalled(name)).map((name) => `${name}@${optional[name]}`)
}

/** Checks without loading the package. */
export function isInstalled(name: string): boolean {
  try {
    resolve(name)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return false
    throw error
  }
}
