import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { createUploads, openFileForm } from './upload.js'

const MIB = 1024 * 1024
const size = async (file: Buffer) => file.length
const refused = (received: Promise<unknown>, code: string) => expect(received).rejects.toMatchObject({ code })
const settled = async () => {
  for (let turn = 0; turn < 20; turn++) await setImmediate()
}

describe('files on their way', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('are given whole, one at a time', async () => {
    const uploads = createUploads()
    let atWork = 0
    const kept: Buffer[] = []
    const work = async (file: Buffer) => {
      atWork += 1
      expect(atWork).toBe(1)
      await settled()
      atWork -= 1
      kept.push(file)
      return file.toString()
    }
    const bodies = ['one', 'two', 'three'].map((text) => new PassThrough().end(text))
    const files = await Promise.all(bodies.map((body, user) => uploads.receive(`user-${user}`, body, work)))
    expect(files).toEqual(['one', 'two', 'three'])
    expect(kept.map(({ buffer }) => buffer.byteLength)).toEqual([0, 0, 0])
  })

  it('are refused while others hold too much; the next one is taken when they are done', async () => {
    const uploads = createUploads(100)
    const [old, young] = [new PassThrough(), new PassThrough()]
    const first = uploads.receive('old', old, size)
    const second = refused(uploads.receive('young', young, size), 'busy')
    old.write(Buffer.alloc(100))
    await settled()
    young.write(Buffer.alloc(1))
    await second
    // What is still sent is read, so that the sender sees the answer.
    young.end(Buffer.alloc(500))
    await settled()
    expect([young.destroyed, young.readableLength]).toEqual([true, 0])
    old.end()
    expect(await first).toBe(100)
    expect(await uploads.receive('young', new PassThrough().end(Buffer.alloc(100)), size)).toBe(100)
  })

  it('that break off leave their room to the next', async () => {
    const uploads = createUploads(100)
    const old = new PassThrough()
    const first = refused(uploads.receive('old', old, size), 'invalid_request')
    old.write(Buffer.alloc(100))
    await settled()
    old.destroy()
    await first
    expect(await uploads.receive('young', new PassThrough().end(Buffer.alloc(100)), size)).toBe(100)
  })

  it('of one user come one after the other; one that stands still is given up after 20 s', async () => {
    const uploads = createUploads()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const [still, next, other] = [new PassThrough(), new PassThrough(), new PassThrough()]
    const first = refused(uploads.receive('user', still, size), 'request_timeout')
    still.write(Buffer.alloc(50))
    const second = uploads.receive('user', next, size)
    const ofOther = uploads.receive('other', other.end('file'), size)
    next.write(Buffer.alloc(9))
    await settled()
    // It has not begun, so it holds nothing.
    expect([next.readableFlowing, next.readableLength]).toEqual([null, 9])
    expect(await ofOther).toBe(4)
    await vi.advanceTimersByTimeAsync(20_000)
    await first
    next.end()
    expect(await second).toBe(9)
  })

  it('of 8 MiB are taken, and a byte more is refused', async () => {
    const uploads = createUploads()
    expect(await uploads.receive('user', new PassThrough().end(Buffer.alloc(8 * MIB)), size)).toBe(8 * MIB)
    const larger = uploads.receive('user', new PassThrough().end(Buffer.alloc(8 * MIB + 1)), size)
    await refused(larger, 'payload_too_large')
  })
})

describe('a form with a file', () => {
  // Browsers use boundaries of this length. Shorter ones are not accepted.
  const boundary = 'x'.repeat(27)
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }

  it.each([
    ['thirteen fields', 'content-disposition: form-data; name="x"', 13],
    ['fourteen parts that cannot be read', 'content-type: text/plain', 14],
  ])('is refused after %s, while the rest of it is on its way', async (_what, head, times) => {
    const part = `--${boundary}\r\n${head}\r\n\r\n\r\n`
    const outcomeOf = async (parts: number) => {
      const raw = new PassThrough()
      const form = openFileForm({ raw, headers } as unknown as FastifyRequest)
      raw.write(part.repeat(parts))
      return Promise.race([form.catch((error) => error.code), settled().then(() => 'on its way')])
    }
    expect([await outcomeOf(times - 1), await outcomeOf(times)]).toEqual(['on its way', 'invalid_request'])
  })
})
