// The floor of each path: bare Fastify, and pg with its statements prepared and named for what needs the
// database. No token, signature, validation, limits or metrics. `plans` sends the very bytes and headers of
// the service.
import { fastify } from 'fastify'
import pg from 'pg'
import { statementsOfService } from './statements.mjs'

const { selectUser, selectPage, loadPayment, savePayment, upsertUsage } = await statementsOfService()
// As many connections as the service has.
const pool = new pg.Pool({ connectionString: process.env.BENCH_DATABASE_URL, max: 10 })
const app = fastify()

const plans = { body: process.env.BENCH_PLANS_BODY, headers: JSON.parse(process.env.BENCH_PLANS_HEADERS) }
app.get('/api/v1/billing/plans', (_request, reply) => reply.headers(plans.headers).send(plans.body))

app.get('/api/v1/billing/status', async (request) => {
  const { rows } = await pool.query({ ...selectUser, values: [request.headers['x-user']] })
  const [row] = rows
  return {
    plan: 'pro',
    status: 'active',
    current_period_end: row.paid_until,
    payment_method: row.last_instrument,
  }
})

app.get('/api/v1/billing/payments', async (request) => {
  const { rows } = await pool.query({ ...selectPage, values: [request.headers['x-user']] })
  return { data: rows.slice(0, 20), has_more: rows.length > 20, next_cursor: null }
})

app.post('/api/v1/platform/users/:user/limits/:limit/consume', async ({ params }) => {
  const { rows } = await pool.query({ ...upsertUsage, values: [params.user, params.limit] })
  return { allowed: rows.length === 1, used: rows[0]?.used }
})

app.post('/api/v1/billing/webhook', async ({ body: event }) => {
  const { id, metadata } = event.data
  const ids = [['chargily'], [id], [metadata.payment_id]]
  const { rows } = await pool.query({ ...loadPayment, values: ids })
  await pool.query({ ...savePayment, values: [JSON.stringify([changeOf(event, rows[0])])] })
  return { received: true }
})

/** What the service writes for a first payment, without having thought about it. */
function changeOf(event, row) {
  const now = new Date().toISOString()
  const end = new Date(Date.now() + 30 * 86_400_000).toISOString()
  const period = {
    sourceId: row.id,
    plan: row.plan,
    months: 1,
    start: Date.now(),
    end: Date.now() + 30 * 86_400_000,
  }
  const payment = {
    ...row,
    status: 'paid',
    instrument: 'edahabia',
    next_check_at: null,
    paid_at: now,
    period_start: now,
    period_end: end,
  }
  const sent = (sequence, type) => ({
    id: `${event.id}_${sequence}`,
    event: {
      type,
      timestamp: now,
      data: { sequence, payment: { id: row.id }, subscription: { current_period_end: end } },
    },
  })
  return {
    user_id: row.user_id,
    version: row.version,
    payment,
    is_new: false,
    subscription: {
      anchor_at: now,
      run_months: 1,
      paid_until: end,
      periods: [period],
      ended_at: null,
      last_instrument: 'edahabia',
      announce_at: end,
    },
    received: {
      method: 'chargily',
      id: event.id,
      type: event.type,
      checkout_id: event.data.id,
      outcome: 'booked',
      report: event.data.metadata,
    },
    events: [sent(1, 'payment.paid'), sent(2, 'subscription.activated')],
    receipt: { series: 'floor', snapshot: { seller: 'x'.repeat(300) } },
    shifted: [],
    audit: null,
    now,
  }
}

const url = await app.listen({ host: '127.0.0.1', port: 0 })
process.send({ url })
process.on('SIGTERM', () => process.exit(0))
