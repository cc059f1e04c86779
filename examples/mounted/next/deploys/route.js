// app/deploys/route.js: may this user deploy?
import { userOf } from '../../billing.js'
import { ishtirak } from '../ishtirak.js'

export async function POST(request) {
  const { userId } = userOf(request.headers.get('x-user'))
  const { id } = await request.json()
  const { allowed, remaining } = await ishtirak.billing.consume(userId, 'deploys_per_day', {
    operation_id: id,
  })
  return Response.json({ remaining }, { status: allowed ? 201 : 429 })
}
