// Checks that this Node runs the program, before anything is loaded that an older Node does not know.

/** A sentence if it does not run; else null. `range` is that of package.json, such as `>=20.19.0`. */
export function nodeProblem(running: string, range: string): string | null {
  const needed = range.replace('>=', '')
  const [major = 0, minor = 0] = partsOf(running)
  const [neededMajor = 0, neededMinor = 0] = partsOf(needed)
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return null
  return `Ishtirak needs Node ${neededMajor}.${neededMinor} or later; this is ${running}: https://nodejs.org`
}

function partsOf(version: string): readonly number[] {
  return version.replace(/^v/, '').split('.').map(Number)
}
