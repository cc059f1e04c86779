// What a preview of the operator's API says, by the names of what changes.

interface Shown {
  readonly what: string
  readonly before: unknown
  readonly after: unknown
}

/** `after` of each change by its `what`; of several the last. */
export function afterOf(preview: { readonly changes: readonly Shown[] }): Readonly<Record<string, unknown>> {
  return Object.fromEntries(preview.changes.map(({ what, after }) => [what, after]))
}

export function beforeOf(preview: { readonly changes: readonly Shown[] }): Readonly<Record<string, unknown>> {
  return Object.fromEntries(preview.changes.map(({ what, before }) => [what, before]))
}
