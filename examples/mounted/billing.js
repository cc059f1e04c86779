// What every host of these examples has in common: Ishtirak in a schema of its own, and the platform's own way to know a user.
import { createIshtirak } from 'ishtirak'

/** `url` is where the host is reached; Ishtirak is mounted there under /billing. */
export function createBilling({ url, databaseUrl, chargily, onEvent }) {
  return createIshtirak({
    database: { url: databaseUrl },
    schema: 'billing',
    config: {
      PUBLIC_URL: `${url}/billing`,
      PLATFORM_URL: url,
      CHARGILY_SECRET_KEY: chargily.secretKey,
      // Only to point elsewhere than to Chargily, such as to the emulator.
      CHARGILY_API_URL: chargily.apiUrl,
      LOG_LEVEL: 'warn',
    },
    identify: ({ headers }) => userOf(headers['x-user']),
    onEvent,
  })
}

/** The platform's own session would stand here: a cookie, a token, `request.host.user`. */
export function userOf(session) {
  return session ? { userId: session } : null
}
