// The files of deploy/ and .env.example, which are samples and templates at once: where this installation has
// them, and how values are put in.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { VERSION } from '../runtime/package.js'

/** The folder of the package, beside `src` as beside `dist`. */
const PACKAGE = fileURLToPath(new URL('../..', import.meta.url))
/** Of the repository; null where the package is installed without it. */
export const CHECKOUT = checkoutAround(path.resolve(PACKAGE, '../..'))

function checkoutAround(folder: string): string | null {
  try {
    const { name } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
    return name === 'ishtirak-workspaces' ? folder : null
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** Each text that is replaced must be there: a template that changes must not silently keep its sample. */
export function fillIn(template: string, values: Readonly<Record<string, string>> = {}): string {
  const text = readFileSync(path.join(CHECKOUT ?? PACKAGE, template), 'utf8')
  return Object.entries(values).reduce((filled, [sample, value]) => {
    if (!filled.includes(sample)) throw new Error(`${template} has no ${sample}`)
    return filled.replaceAll(sample, () => value)
  }, text)
}

/** The image from the package, where there are no sources to build it from: the other stage is the same. */
export function packageContainerfile(): string {
  const install = `WORKDIR /data
WORKDIR /app
RUN npm install --ignore-scripts --no-audit --no-fund ishtirak@${VERSION}`
  return fillIn('deploy/Containerfile', { 'built with npm': 'installed by npm' }).replace(
    /(?<= AS build\n)[\s\S]*?(?=\n\nFROM)/,
    () => install,
  )
}

/** Where the unit's `ProtectHome=` hides them, or npx throws them away. */
const PASSING = /^\/(home|root|run\/user)\/|\/_npx\//
const INSTALLED = '/opt/ishtirak'
const ENTRY = path.join(PACKAGE, 'dist/main/cli.js')

/** What the unit starts: this very installation where it can, else one that is still to be made. */
export const PROGRAM = PASSING.test(ENTRY)
  ? { file: `${INSTALLED}/node_modules/ishtirak/dist/main/cli.js`, installFirst: INSTALLED }
  : { file: ENTRY, installFirst: null }
export const NODE = PASSING.test(process.execPath) ? '/usr/bin/node' : process.execPath
