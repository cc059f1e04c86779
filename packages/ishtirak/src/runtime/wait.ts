// Real time that passes. Only for waiting on somebody else's work, always bounded; deadlines are the clock's business.

export function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
