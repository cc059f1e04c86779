// Checks packages as they are packed: `node scripts/check-package.mjs FILE.tgz …`. publint reads what
// package.json says of the files; arethetypeswrong asks which types each way of importing finds. Fails on any
// problem.
import { readFileSync } from 'node:fs'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

/**
 * Ways of importing that a package does not offer: Node before `exports`, and `require` where there is only
 * ESM.
 */
const notOffered = (exported) =>
  JSON.stringify(exported ?? {}).includes('"require"') ? ['node10'] : ['node10', 'node16-cjs']

/** For packages of the repository alone, which have its sources. */
const NOT_PROMISED = { excludeEntrypoints: ['./internal'] }

async function problemsOf(file) {
  const packed = readFileSync(file)
  const { buffer: tarball } = new Uint8Array(packed)
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true })
  const types = await checkPackage(createPackageFromTarballData(new Uint8Array(packed)), NOT_PROMISED)
  if (!types.types) return ['no types']
  const ignored = notOffered(pkg.exports)
  const ofTypes = types.problems.filter(({ resolutionKind }) => !ignored.includes(resolutionKind))
  return [
    ...messages.map((message) => formatMessage(message, pkg, { color: false })),
    ...ofTypes.map((problem) => JSON.stringify(problem)),
  ]
}

for (const file of process.argv.slice(2)) {
  const problems = await problemsOf(file)
  for (const problem of problems) process.stderr.write(`${file}: ${problem}\n`)
  if (problems.length > 0) process.exitCode = 1
}
