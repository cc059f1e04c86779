// The one rule for the ids of users, in tokens and in addresses. The platform makes the ids.

/**
 * 1 to 255 characters, white space included. Control characters and half a surrogate pair are refused because
 * the database does; `.` and `..` because no address can carry them. Needs the flag `u`.
 */
export const USER_ID_PATTERN = String.raw`^(?!\.{1,2}$)[^\u0000-\u001f\u007f-\u009f\ud800-\udfff]{1,255}$`

const USER_ID = new RegExp(USER_ID_PATTERN, 'u')

export function isUserId(value: unknown): value is string {
  // 255 characters are at most 510 units. Longer texts are refused before the pattern runs.
  return typeof value === 'string' && value.length <= 510 && USER_ID.test(value)
}
