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

/** A sentence if this Node does not run the program; else null. `range` is such as `>=20.19.0`. */
export function nodeProblem(running: string, range: string): string | null {
  const [major = 0, minor = 0] = partsOf(running)
  const [neededMajor = 0, neededMinor = 0] = partsOf(range)
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return null
  return `Ishtirak needs Node ${neededMajor}.${neededMinor} or later; this is ${running}: https://nodejs.org`
}

function partsOf(version: string): readonly number[] {
  return version.replace(/^v|>=/, '').split('.').map(Number)
}

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
