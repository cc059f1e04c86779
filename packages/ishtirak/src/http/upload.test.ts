// Files on their way, as streams: how much of them is held at once, and which of them waits.
import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createUploads } from './upload.js'

const MIB = 1024 * 1024
const size = async (file: Buffer) => file.length
const settled = async () => {
  for (let turn = 0; turn < 20; turn++) await setImmediate()
}

describe('files on their way', () => {
  it('are given whole, one at a time', async () => {
    const uploads = createUploads()
    let atWork = 0
    const work = async (file: Buffer) => {
      atWork += 1
      expect(atWork).toBe(1)
      await settled()
      atWork -= 1
      return file.toString()
    }
    const bodies = ['one', 'two', 'three'].map((text) => new PassThrough().end(text))
    const files = await Promise.all(bodies.map((body) => uploads.receive(body, work)))
    expect(files).toEqual(['one', 'two', 'three'])
  })

  it('give their memory back at once when they are done', async () => {
    const kept: Buffer[] = []
    const size = await createUploads().receive(new PassThrough().end('file'), async (file) => {
      kept.push(file)
      return file.length
    })
    expect([size, kept[0]?.buffer.byteLength]).toEqual([4, 0])
  })

  it('wait where too much is held, but for the oldest; the next goes on when it is done', async () => {
    const uploads = createUploads(100)
    const [old, young] = [new PassThrough(), new PassThrough()]
    const first = uploads.receive(old, size)
    const second = uploads.receive(young, size)
    old.write(Buffer.alloc(100))
    young.write(Buffer.alloc(1))
    await settled()
    expect([old.isPaused(), young.isPaused()]).toEqual([false, true])
    old.end(Buffer.alloc(1_000))
    expect(await first).toBe(1_100)
    young.end(Buffer.alloc(500))
    expect(await second).toBe(501)
  })

  it('that break off let the next go on', async () => {
    const uploads = createUploads(100)
    const [old, young] = [new PassThrough(), new PassThrough()]
    const first = expect(uploads.receive(old, size)).rejects.toMatchObject({ code: 'invalid_request' })
    const second = uploads.receive(young, size)
    old.write(Buffer.alloc(100))
    young.end(Buffer.alloc(200))
    await settled()
    old.destroy()
    await first
    expect(await second).toBe(200)
  })

  it('that stand still give way to those that wait', async () => {
    const uploads = createUploads(100, 10)
    const [still, young] = [new PassThrough(), new PassThrough()]
    const first = expect(uploads.receive(still, size)).rejects.toMatchObject({ code: 'request_timeout' })
    const second = uploads.receive(young, size)
    still.write(Buffer.alloc(100))
    young.write(Buffer.alloc(200))
    await first
    young.end()
    expect(await second).toBe(200)
  })

  it('of 2 MiB are taken, and a byte more is refused', async () => {
    const uploads = createUploads()
    expect(await uploads.receive(new PassThrough().end(Buffer.alloc(2 * MIB)), size)).toBe(2 * MIB)
    const larger = uploads.receive(new PassThrough().end(Buffer.alloc(2 * MIB + 1)), size)
    await expect(larger).rejects.toMatchObject({ code: 'payload_too_large' })
  })
})
