// The one rule for the ids of users, which are the platform's own: the same in a token and in an address.

/**
 * 1 to 255 characters, white space included. No control characters and no half of a surrogate pair, which the
 * database does not hold; not `.` or `..`, which no address can carry. For flag `u`.
 */
export const USER_ID_PATTERN = String.raw`^(?!\.{1,2}$)[^\u0000-\u001f\u007f-\u009f\ud800-\udfff]{1,255}$`

const USER_ID = new RegExp(USER_ID_PATTERN, 'u')

export function isUserId(value: unknown): value is string {
  // 255 characters are at most twice as many units: what is longer is not given to the pattern.
  return typeof value === 'string' && value.length <= 510 && USER_ID.test(value)
}
