// The peer: better-auth with @better-auth/stripe on the same PostgreSQL, as its documentation sets it up,
// with its limit on calls and its log switched off as ours are.
import { createServer } from 'node:http'
import { stripe } from '@better-auth/stripe'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { bearer } from 'better-auth/plugins'
import pg from 'pg'
import Stripe from 'stripe'

const provider = new URL(process.env.BENCH_PROVIDER_URL)
const pool = new pg.Pool({ connectionString: process.env.BENCH_DATABASE_URL, max: 10 })
const client = new Stripe('sk_test_bench', {
  host: provider.hostname,
  port: provider.port,
  protocol: 'http',
  maxNetworkRetries: 0,
  telemetry: false,
})
const options = {
  database: pool,
  secret: 'a secret of the benchmarks that is longer than 32 bytes',
  baseURL: 'http://127.0.0.1',
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  logger: { level: 'error' },
  telemetry: { enabled: false },
  plugins: [
    bearer(),
    stripe({
      stripeClient: client,
      stripeWebhookSecret: process.env.BENCH_WEBHOOK_SECRET,
      subscription: {
        enabled: true,
        plans: [{ name: 'pro', priceId: 'price_pro', limits: { projects: 10 } }],
      },
    }),
  ],
}
const { runMigrations } = await getMigrations(options)
await runMigrations()
await seed(Number(process.env.BENCH_USERS), Number(process.env.BENCH_FRESH))
const server = createServer(toNodeHandler(betterAuth(options)))
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }))
process.on('SIGTERM', () => process.exit(0))

/** Users u_1… have a session and an active subscription, users f_1… have a session and come to buy. */
async function seed(users, fresh) {
  for (const [prefix, count] of Object.entries({ u_: users, f_: fresh })) {
    await pool.query(
      `insert into "user" (id, name, email, "emailVerified", "createdAt", "updatedAt", "stripeCustomerId")
       select $1 || n, 'User', $1 || n || '@example.dz', true, now(), now(),
              case when $1 = 'u_' then 'cus_u_' || n end
         from generate_series(1, $2::int) n`,
      [prefix, count],
    )
    await pool.query(
      `insert into session (id, "expiresAt", token, "createdAt", "updatedAt", "userId")
       select 's_' || $1 || n, now() + interval '7 days', 'token_' || $1 || n, now(), now(), $1 || n
         from generate_series(1, $2::int) n`,
      [prefix, count],
    )
  }
  await pool.query(
    `insert into subscription (id, plan, "referenceId", "stripeCustomerId", "stripeSubscriptionId", status,
                               "periodStart", "periodEnd")
     select 'sub_' || n, 'pro', 'u_' || n, 'cus_u_' || n, 'sub_u_' || n, 'active', now(),
            now() + interval '20 days'
       from generate_series(1, $1::int) n`,
    [users],
  )
  await pool.query('analyze')
}
