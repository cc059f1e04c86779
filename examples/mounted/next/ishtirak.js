// One Ishtirak for all routes of a Next.js application (lib/ishtirak.js there), made when the first of them is loaded.
import { createBilling } from '../billing.js'

export const ishtirak = await createBilling({
  url: process.env.PLATFORM_URL,
  databaseUrl: process.env.DATABASE_URL,
  chargily: { secretKey: process.env.CHARGILY_SECRET_KEY, apiUrl: process.env.CHARGILY_API_URL },
})

await ishtirak.migrate()
await ishtirak.start()
