// A mail server for tests: real SMTP on loopback; it keeps every message and can be set to fail.
import { createServer, type Socket } from 'node:net'
import { listen } from './listen.js'

export type ReceivedMessage = { from: string; to: readonly string[]; source: string }

export interface SmtpSink extends AsyncDisposable {
  readonly url: string
  readonly messages: ReceivedMessage[]
  /** Answers a command or, for `.`, the end of a message. Undefined: the usual answer. Null: hangs up. */
  answer: (command: string) => string | null | undefined
}

const OK = '250 ok'
const USUAL: Readonly<Record<string, string>> = {
  ...{ EHLO: '250-sink\r\n250 8BITMIME', HELO: '250 sink', MAIL: OK, RCPT: OK, DATA: '354 go on' },
  ...{ '.': '250 kept', RSET: OK, NOOP: OK, QUIT: '221 bye' },
}

export async function startSmtpSink(): Promise<SmtpSink> {
  const messages: ReceivedMessage[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    // A client that goes away in the middle is part of what is tested.
    socket.on('error', () => socket.destroy())
    converse(socket, messages, (command) => sink.answer(command))
  })
  const listening = await listen(server)
  const sink: SmtpSink = {
    url: listening.url.replace('http:', 'smtp:'),
    messages,
    answer: () => undefined,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await listening[Symbol.asyncDispose]()
    },
  }
  return sink
}

/** A sink for the tests of a file. Each of them begins without messages and with the usual answers. */
export async function sinkOfTests(): Promise<SmtpSink> {
  const sink = await startSmtpSink()
  beforeEach(() => {
    sink.messages.length = 0
    sink.answer = () => undefined
  })
  afterAll(() => sink[Symbol.asyncDispose]())
  return sink
}

function converse(socket: Socket, messages: ReceivedMessage[], answerTo: SmtpSink['answer']): void {
  let rest = ''
  let body: string[] | null = null
  let envelope = { from: '', to: [] as string[] }
  const answer = (command: string): boolean => {
    const own = answerTo(command)
    if (own === null) {
      socket.destroy()
      return false
    }
    const said = own ?? USUAL[command] ?? '502 what'
    socket.write(`${said}\r\n`)
    return /^[23]/.test(said)
  }
  const take = (line: string) => {
    if (body !== null && line !== '.') return void body.push(line.replace(/^\.\./, '.'))
    if (body !== null) {
      messages.push({ ...envelope, source: body.join('\r\n') })
      body = null
      envelope = { from: '', to: [] }
      return void answer('.')
    }
    const command = line.slice(0, 4).toUpperCase()
    const accepted = answer(command)
    const [, address = ''] = /<(.*?)>/.exec(line) ?? []
    if (accepted && command === 'MAIL') envelope = { from: address, to: [] }
    if (accepted && command === 'RCPT') envelope.to.push(address)
    if (accepted && command === 'DATA') body = []
    if (command === 'QUIT') socket.end()
  }
  socket.write('220 sink\r\n')
  socket.on('data', (chunk) => {
    const lines = `${rest}${chunk.toString('latin1')}`.split('\r\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
  })
}

export interface Parsed {
  readonly headers: Readonly<Record<string, string>>
  readonly parts: Readonly<Record<string, Buffer>>
}

/** Parses a message, as far as the service's own go: nested multiparts, base64 and quoted-printable. */
export function readMessage({ source }: ReceivedMessage): Parsed {
  const { headers, body } = split(source)
  return { headers, parts: Object.fromEntries(partsOf(headers, body)) }
}

function partsOf(headers: Parsed['headers'], body: string): [type: string, content: Buffer][] {
  const { 'content-type': type = 'text/plain', 'content-transfer-encoding': encoding = '7bit' } = headers
  const [, boundary] = /boundary="?([^";]+)"?/.exec(type) ?? []
  if (boundary === undefined) return [[type.split(';')[0] ?? '', decode(body, encoding)]]
  const inner = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((piece) => split(piece.replace(/^\r\n/, '')))
  return inner.flatMap((part) => partsOf(part.headers, part.body))
}

function split(source: string): { readonly headers: Parsed['headers']; readonly body: string } {
  const end = source.indexOf('\r\n\r\n')
  const head = source.slice(0, end).replace(/\r\n[ \t]+/g, ' ')
  const headers = Object.fromEntries(
    head.split('\r\n').map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim())]
    }),
  )
  return { headers, body: source.slice(end + 4).replace(/\r\n$/, '') }
}

function decode(body: string, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(body, 'base64')
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1')
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1')
}

/** RFC 2047: `=?UTF-8?Q?…?=` and `=?UTF-8?B?…?=`. */
function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?UTF-8\?([QB])\?(.*?)\?=/gi, (_, kind: string, data: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(data, 'base64').toString()
        : decode(data.replaceAll('_', ' '), 'quoted-printable').toString(),
    )
}
