// Short JSON: members that are null are left out. Its readers take an absent member as null.
type WithoutNulls<Members> = {
  readonly [Name in keyof Members as null extends Members[Name] ? never : Name]: Members[Name]
} & {
  readonly [Name in keyof Members as null extends Members[Name] ? Name : never]?: NonNullable<Members[Name]>
}

export function withoutNulls<Members extends Record<string, unknown>>(members: Members) {
  const entries = Object.entries(members).filter(([, value]) => value !== null)
  // Only members whose type includes null were dropped.
  return Object.fromEntries(entries) as WithoutNulls<Members>
}
