// Codes of a world: the key that makes their hashes.

/** For the environment of a world that has codes. */
export const CODE_ENV = { CODE_KEYS: 'a-key-for-the-codes-of-the-tests' }
