// Imports that still run against the order of folders; the list only gets shorter, and goes with its last
// line.
export const STILL_UPWARD: readonly string[] = []
