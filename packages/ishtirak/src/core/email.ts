// The one rule for a user's e-mail address: in a token, from the platform, in a form and on an invoice.

/** Longest address (RFC 5321, section 4.5.3.1.3). */
export const EMAIL_MAX = 254

/**
 * A character on either side of the @. Brackets, comma, colon, semicolon and backslash begin a name, a group,
 * a literal or a second address (RFC 5322, section 3.4). Format characters (`\p{Cf}`) are invisible. The
 * database refuses half a surrogate pair.
 */
const CHARACTER = String.raw`[^\s@<>()\[\],:;\\\p{Cc}\p{Cf}\p{Cs}]`

/** At most 64 characters before the @ (RFC 5321, section 4.5.3.1.1). Needs the flag `u`. */
export const EMAIL_PATTERN = `^(?=.{3,${EMAIL_MAX}}$)${CHARACTER}{1,64}@${CHARACTER}+$`

const EMAIL = new RegExp(EMAIL_PATTERN, 'u')

/** Cleans a typed or pasted address: no spaces around it and no invisible characters. */
export const typedEmail = (typed: string): string => typed.replace(/\p{Cf}/gu, '').trim()

export const isEmail = (text: string): boolean => EMAIL.test(text)
