// The test of a release imports these.
export function versionProblems(root: string): readonly string[]
export function licenceProblems(bom: { readonly components: readonly object[] }): readonly string[]
export function writeRelease(root: string, to: string, seconds: number): readonly string[]
