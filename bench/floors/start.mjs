// The floor of a start: bare Fastify and the embedded database as its package comes, on the folder that is
// named.
import { PGlite } from '@electric-sql/pglite'
import { fastify } from 'fastify'

const database = await PGlite.create(process.env.BENCH_FOLDER)
const app = fastify()
app.get('/', async () => (await database.query('select 1 as one')).rows)
const url = await app.listen({ host: '127.0.0.1', port: 0 })
await fetch(url)
process.send({ url })
process.on('SIGTERM', async () => {
  await database.close()
  process.exit(0)
})
