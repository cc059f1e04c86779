// Thousands of odd files sent as proofs of transfers, to the API and with the portal's form: none ends in a
// failure of ours, and what is stored is a picture or a PDF. And bodies made to be slow to read, each as
// large as is taken: none holds the process up.
import { once } from 'node:events'
import path from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Worker } from 'node:worker_threads'
import { crc32 } from 'node:zlib'
import { type Database, statement } from '../../packages/ishtirak/src/database/database.js'
import { readProofFile } from '../../packages/ishtirak/src/transfers/proof-file.js'
import { enterPortal } from '../support/portal.js'
import { jpeg, pdf, png } from '../support/proof-files.js'
import { SeededRandom } from '../support/random.js'
import { TRANSFER_FILE } from '../support/transfer-file.js'
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
    /** After each body, of how many. */
    readonly onBody?: (done: number, of: number) => void
  },
): Promise<FuzzedUploads> {
  const { seed, bodies, onBody } = of
  let sent = 0
  const world = await createWorld(database, {
    env: { TRANSFER_FILE, RATE_LIMIT_PER_MINUTE: '1000000' },
    withoutJobs: true,
    host: 'none',
  })
  /** By the way: `api 422`, `form 303`. */
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
      const read = await readProofFile(file)
      const isWhole = 'type' in read && read.type === media_type && read.length === file.length
      if (!isWhole) faults.push(`${user_id}, proof ${n}: stored, and no ${media_type}`)
    }
    return { statuses, stored: rows.length, faults }
  } finally {
    await world.stop()
  }
}

const MIB = 1024 * 1024

/**
 * Bodies that readers of files and of forms are slow with, by name. `form` makes one of a form: its head and
 * its end around it.
 */
function slowBodies(formToken: string) {
  const boundary = `----WebKitFormBoundary${'0'.repeat(16)}`
  const type = `multipart/form-data; boundary=${boundary}`
  const open = `--${boundary}\r\nContent-Disposition: form-data; name=`
  const token = `${open}"form_token"\r\n\r\n${formToken}\r\n`
  const file = `${token}${open}"file"; filename="slip.png"\r\n\r\n`
  const repeated = (text: string) => Buffer.alloc(8 * MIB - 4_096, text, 'latin1')
  const end = Buffer.from(`\r\n--${boundary}--\r\n`)
  const form = (head: string, body: Buffer) => ({ type, body: Buffer.concat([Buffer.from(head), body, end]) })
  const scan = jpeg().indexOf(Buffer.from([0xff, 0xda]))
  const files: Readonly<Record<string, Buffer>> = {
    'a PNG of one long chunk': png({ extra: 8 * MIB - 200 }),
    'a PNG of empty chunks': Buffer.concat([
      png().subarray(0, 33),
      Buffer.alloc(8 * MIB - 4_096, emptyChunk()),
    ]),
    'a JPEG of coded 0xff': Buffer.concat([jpeg().subarray(0, scan + 8), repeated('\xff\0')]),
    'a JPEG of filling': Buffer.concat([jpeg().subarray(0, 2), repeated('\xff')]),
    'a JPEG of empty segments': Buffer.concat([jpeg().subarray(0, 2), repeated('\xff\xfe\0\x02')]),
    'a PDF of names': Buffer.concat([Buffer.from('%PDF-1.7'), repeated('/AA /JS /First ')]),
    'a PDF of ends': Buffer.concat([Buffer.from('%PDF-1.7'), repeated('%%EO')]),
  }
  return {
    files,
    forms: {
      ...Object.fromEntries(Object.entries(files).map(([name, body]) => [name, form(file, body)])),
      'escapes in a file name': form(`${token}${open}"file"; filename="`, repeated('%22')),
      'a long field name': form(open, repeated('"x')),
      'header lines': form(`--${boundary}\r\n`, repeated('a: b\r\n')),
      'one long header': form(`--${boundary}\r\na: `, repeated('b')),
      'parts without end': form('', repeated(`${open}"x"\r\n\r\n\r\n`)),
      'a long field': form(`${open}"x"\r\n\r\n`, repeated('x')),
      'almost boundaries': form(file, repeated(`\r\n--${boundary.slice(0, -1)}`)),
      'line ends': form(file, repeated('\r\n')),
      'bytes before the first part': form('', repeated('-')),
    },
  }
}

function openSender(base: string) {
  const worker = new Worker(path.join(import.meta.dirname, 'sender.mjs'))
  return {
    send: async (
      method: string,
      address: string,
      body: Buffer | undefined,
      headers: Record<string, string>,
    ) => {
      worker.postMessage({ url: `${base}${address}`, init: { method, body, headers } })
      const [status] = await once(worker, 'message')
      return Number(status)
    },
    end: () => worker.terminate(),
  }
}

function emptyChunk(): Buffer {
  const chunk = Buffer.from('\0\0\0\0skIp\0\0\0\0', 'latin1')
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8)), 8)
  return chunk
}

/**
 * How long each of them kept the process from everything else, in milliseconds: the least of a few tries, as
 * a machine pauses too.
 */
export async function measureHolds(database: Database, tries: number): Promise<ReadonlyMap<string, number>> {
  const world = await createWorld(database, {
    env: { TRANSFER_FILE, RATE_LIMIT_PER_MINUTE: '1000000' },
    withoutJobs: true,
    host: 'none',
  })
  const holds = new Map<string, number>()
  const sender = openSender(world.url)
  let senders = 0
  const send = async (name: string, way: 'api' | 'form') => {
    const userId = `slow-${++senders}`
    const asked = await world.as(userId).post('/api/v1/billing/payments', { plan: 'pro', method: 'transfer' })
    const portal = await enterPortal(world, userId)
    const { files, forms } = slowBodies(portal.formToken)
    const headers = { authorization: `Bearer ${await tokenOf({ sub: userId })}` }
    const { type, body } = forms[name as keyof typeof forms]
    const delays = monitorEventLoopDelay({ resolution: 1 })
    delays.enable()
    if (way === 'api')
      await sender.send('PUT', `/api/v1/billing/payments/${asked.body.id}/proof`, files[name], headers)
    else
      await sender.send('POST', `/portal/payments/${asked.body.id}/proof`, body, {
        ...portal.headers,
        'content-type': type,
      })
    delays.disable()
    const key = `${way}: ${name}`
    holds.set(key, Math.min(holds.get(key) ?? Number.POSITIVE_INFINITY, delays.max / 1e6))
  }
  try {
    const { files, forms } = slowBodies('')
    for (let again = 0; again < tries; again++) {
      for (const name of Object.keys(files)) await send(name, 'api')
      for (const name of Object.keys(forms)) await send(name, 'form')
    }
    return holds
  } finally {
    await sender.end()
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
