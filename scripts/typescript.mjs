// Hooks that let Node run the TypeScript sources of the repository's tools as they are: types are removed,
// and `./x.js` finds `./x.ts`. The service itself runs what the build has made.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'rolldown/utils'

const PACKAGES = {
  'chargily-emulator': 'chargily-emulator/src/emulator.ts',
  'chargily-emulator/command': 'chargily-emulator/src/command.ts',
  '@ishtirak/client': 'client/src/index.ts',
  '@ishtirak/demo': 'demo/src/index.ts',
  'ishtirak/internal': 'ishtirak/src/main/internal.ts',
}
const OPTIONS = {
  sourcemap: true,
  jsx: { runtime: 'automatic', importSource: '@kitajs/html' },
  typescript: { onlyRemoveTypeImports: true },
}

export async function resolve(specifier, context, next) {
  const found = (url) => ({ url: url.href, format: 'module', shortCircuit: true })
  const source = PACKAGES[specifier]
  if (source) return found(new URL(`../packages/${source}`, import.meta.url))
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && /\.tsx?$/.test(context.parentURL ?? '')) {
    for (const ending of ['.ts', '.tsx']) {
      const url = new URL(specifier.replace(/\.js$/, ending), context.parentURL)
      if (existsSync(url)) return found(url)
    }
  }
  return next(specifier, context)
}

export async function load(url, context, next) {
  if (!/^file:.*\.tsx?$/.test(url)) return next(url, context)
  const file = fileURLToPath(url)
  const text = readFileSync(file, 'utf8')
  if (/^\s+await using /m.test(text))
    return { format: 'module', source: await withoutUsing(text), shortCircuit: true }
  const { code, map, errors } = transformSync(file, text, OPTIONS)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`)
  const encoded = Buffer.from(JSON.stringify(map)).toString('base64')
  const source = `${code}\n//# sourceMappingURL=data:application/json;base64,${encoded}`
  return { format: 'module', source, shortCircuit: true }
}

/** Node 20 has no `using`. TypeScript replaces it in place, rolldown by a helper of another package. */
async function withoutUsing(text) {
  const { default: ts } = await import('typescript')
  const { ES2023: target } = ts.ScriptTarget
  const compilerOptions = {
    target,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
    inlineSourceMap: true,
  }
  return ts.transpileModule(text, { compilerOptions }).outputText
}
