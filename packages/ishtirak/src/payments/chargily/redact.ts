// What of the provider's words may be written down. Its sentences are useful in a log and can repeat what they were
// sent; keys, signatures and e-mail addresses never belong there. Whole bodies are never logged at all.

/** 300 characters: a sentence or two, not a page of HTML. */
const LONGEST = 300

export function redact(text: string, secrets: readonly string[] = []): string {
  // More than is kept, so that no key is cut in two before it is found; bounded, so that no answer costs seconds.
  let safe = text.slice(0, 10 * LONGEST)
  for (const secret of secrets) safe = safe.replaceAll(secret, '[key]')
  return (
    safe
      .replace(/(?:test|live)_[sp]k_[\w-]*/g, '[key]')
      .replace(/\b[0-9a-f]{64}\b/gi, '[signature]')
      .replace(/[^\s"'<>()]{1,64}@[^\s"'<>()]+/g, '[e-mail]')
      // PostgreSQL stores no NUL, and a log line is one line.
      .replace(/[\p{Cc}\p{Cs}]/gu, ' ')
      .slice(0, LONGEST)
  )
}
