// The one rule for a user's e-mail address: in a token, from the platform, in a form and on a facture.

/** Longest address (RFC 5321, section 4.5.3.1.3). */
export const EMAIL_MAX = 254

/** Of neither side of the @. The database holds no half of a surrogate pair. */
const SIGN = String.raw`[^\s@\u0000-\u001f\u007f-\u009f\ud800-\udfff]`

/** At most 64 characters before the @ (RFC 5321, section 4.5.3.1.1). For flag `u`. */
export const EMAIL_PATTERN = `^(?=.{3,${EMAIL_MAX}}$)${SIGN}{1,64}@${SIGN}+$`

const EMAIL = new RegExp(EMAIL_PATTERN, 'u')

export const isEmail = (text: string): boolean => EMAIL.test(text)
