// The test of a release imports these.
interface Component {
  readonly name: string
  readonly version: string
  readonly licenses?: readonly (
    | { readonly expression: string }
    | { readonly license: { readonly id: string } }
  )[]
}
export function versionProblems(root: string): readonly string[]
export function licenceProblems(bom: { readonly components: readonly Component[] }): readonly string[]
export function writeRelease(root: string, to: string, seconds: number): readonly string[]
