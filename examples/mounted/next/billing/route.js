// app/billing/[[...path]]/route.js: everything under /billing is Ishtirak's.
import { ishtirak } from '../ishtirak.js'

// The proxy in front of Next.js sets the header, and overwrites what the client has sent.
const handle = (request) =>
  ishtirak.fetch(request, { clientAddress: request.headers.get('x-real-ip') ?? undefined })

export { handle as DELETE, handle as GET, handle as HEAD, handle as PATCH, handle as POST, handle as PUT }
