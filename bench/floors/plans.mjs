// The floor of GET /plans: node:http, writing the very bytes and headers, and nothing else.
import { createServer } from 'node:http'

const body = Buffer.from(process.env.BENCH_BODY)
const headers = { ...JSON.parse(process.env.BENCH_HEADERS), 'content-length': body.length }

const server = createServer((_request, response) => {
  response.writeHead(200, headers)
  response.end(body)
})
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }))
process.on('SIGTERM', () => process.exit(0))
