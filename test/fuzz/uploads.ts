// No odd file ends in a failure of ours, and what is stored is a picture or a PDF.
import { type Database, statement } from '../../packages/ishtirak/src/database/database.js'
import { readProofFile } from '../../packages/ishtirak/src/transfers/proof-file.js'
import { enterPortal } from '../support/portal.js'
import { jpeg, pdf, png } from '../support/proof-files.js'
import { SeededRandom } from '../support/random.js'
import { TRANSFER_FILE } from '../support/setting-files.js'
import { createWorld, tokenOf } from '../support/world.js'

export interface FuzzedUploads {
  readonly statuses: Readonly<Record<string, number>>
  readonly stored: number
  readonly faults: readonly string[]
}

/** As many as a user may try in an hour. */
const BODIES_A_USER = 10
const IN_FLIGHT = 8

const selectStored = statement(
  'fuzz.uploads.stored',
  `select f.user_id, f.n, f.media_type, string_agg(encode(c.content, 'hex'), '' order by c.part) as content
     from transfer_proofs f join transfer_proof_parts c using (user_id, payment_id, n)
    group by f.user_id, f.n, f.media_type`,
)

export async function fuzzUploads(
  database: Database,
  of: {
    readonly seed: number
    readonly bodies: number
    readonly onBody?: (done: number, of: number) => void
  },
): Promise<FuzzedUploads> {
  const { seed, bodies, onBody } = of
  let sent = 0
  const world = await createWorld(database, {
    env: { TRANSFER_FILE, RATE_LIMIT_PER_MINUTE: '1000000' },
    withoutJobs: true,
    // The command runs outside Vitest, which knows the file of a world that is kept.
    isNew: true,
    host: 'none',
  })
  const statuses: Record<string, number> = {}
  const faults: string[] = []
  const send = async (user: number) => {
    const userId = `sender-${user}`
    const asked = await world.as(userId).post('/api/v1/billing/payments', { plan: 'pro', method: 'transfer' })
    const address = `/api/v1/billing/payments/${asked.body.id}/proof`
    const headers = { authorization: `Bearer ${await tokenOf({ sub: userId })}` }
    const portal = await enterPortal(world, userId)
    const sendForm = (seed: number) => {
      const { type, body } = drawForm(seed, portal.formToken)
      return portal.post(`/portal/payments/${asked.body.id}/proof`, body, type)
    }
    for (let index = user * BODIES_A_USER; index < Math.min(bodies, (user + 1) * BODIES_A_USER); index++) {
      const way = index % 2 === 0 ? 'api' : 'form'
      const { status, text } = await (way === 'api'
        ? world.call('PUT', address, { body: drawFile(seed + index), headers })
        : sendForm(seed + index))
      sent += 1
      onBody?.(sent, bodies)
      const name = `${way} ${status}`
      statuses[name] = (statuses[name] ?? 0) + 1
      if (status >= 500) faults.push(`body ${index}: ${status} ${text}`)
    }
  }
  const users = Array.from({ length: Math.ceil(bodies / BODIES_A_USER) }, (_, user) => user)
  const lane = async () => {
    for (let user = users.shift(); user !== undefined; user = users.shift()) await send(user)
  }
  try {
    await Promise.all(Array.from({ length: IN_FLIGHT }, lane))
    const rows = await database.query(selectStored)
    for (const { user_id, n, media_type, content } of rows) {
      const file = Buffer.from(String(content), 'hex')
      const read = readProofFile(file)
      const isWhole = 'type' in read && read.type === media_type && read.length === file.length
      if (!isWhole) faults.push(`${user_id}, proof ${n}: stored, and no ${media_type}`)
    }
    return { statuses, stored: rows.length, faults }
  } finally {
    await world.stop()
  }
}

const FILES: readonly (() => Buffer)[] = [
  () => png(),
  () => png({ extra: 3_000 }),
  () => jpeg(),
  () => jpeg({ comment: '<script>alert(1)</script>', scan: 2_000 }),
  () => pdf({ objects: ['<< /S /JavaScript /JS (app.alert\\(1\\)) >>'] }),
  () => Buffer.from('<!doctype html><script>alert(1)</script>'),
  () => Buffer.from('PK\x03\x04\x14\0\0\0PK\x05\x06', 'latin1'),
]

/** A file, whole or with a few of its bytes changed, left out or put in, or with another one behind it. */
function drawFile(seed: number): Buffer {
  const source = new SeededRandom(seed, 'uploads')
  const random = (below: number) => Math.floor(source.next() * below)
  const pick = () => FILES[random(FILES.length)]?.() ?? png()
  return spoilt(pick(), random, pick)
}

/** The portal's form as a browser sends it, or with a few bytes of its parts and their headers changed. */
function drawForm(seed: number, formToken: string): { readonly type: string; readonly body: Buffer } {
  const source = new SeededRandom(seed, 'forms')
  const random = (below: number) => Math.floor(source.next() * below)
  const boundary = `----WebKitFormBoundary${'0'.repeat(16)}`
  const part = (name: string, rest: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${rest}\r\n\r\n`
  const file = ['; filename="slip.jpg"\r\nContent-Type: image/jpeg', '; filename="../../slip.php"', ''][
    random(3)
  ]
  const head = Buffer.from(`${part('form_token', '')}${formToken}\r\n${part('file', file ?? '')}`)
  const end = Buffer.from(`\r\n--${boundary}--\r\n`)
  const isOdd = random(3) === 0
  const kept = (bytes: Buffer) => (isOdd && random(2) === 0 ? spoilt(bytes, random, () => head) : bytes)
  const type = `multipart/form-data; boundary=${isOdd && random(4) === 0 ? 'x' : boundary}`
  return { type, body: Buffer.concat([kept(head), drawFile(seed), kept(end)]) }
}

function spoilt(whole: Buffer, random: (below: number) => number, other: () => Buffer): Buffer {
  let file = whole
  for (let changes = random(4); changes > 0; changes--) {
    const at = random(file.length + 1)
    const noise = Buffer.from(Array.from({ length: random(9) }, () => random(256)))
    const way = random(5)
    if (way === 0) file = file.subarray(0, at)
    else if (way === 1) file = Buffer.concat([file.subarray(0, at), noise, file.subarray(at)])
    else if (way === 2) file = Buffer.concat([file.subarray(0, at), file.subarray(at + noise.length)])
    else if (way === 3) file = Buffer.concat([file, other()])
    else file = Buffer.concat([file.subarray(0, at), noise, file.subarray(at + noise.length)])
  }
  return file
}
