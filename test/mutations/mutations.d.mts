// What one mutation is, for the tests that read the list.
export interface Mutation {
  readonly rule: string
  /** The path starts at the root of the repository. */
  readonly file: string
  readonly from: string
  readonly to: string
  readonly tests: readonly string[]
}
export const mutations: readonly Mutation[]
