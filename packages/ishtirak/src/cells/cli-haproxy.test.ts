// What the command writes, without a service and without a database.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Command } from 'commander'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ConfigError } from '../runtime/config-file.js'
import { addHaproxyCommand } from './cli-haproxy.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cells-'))
  const of = (name: string, parts: string) => ({ name, parts: [parts], servers: [`${name}:3000`] })
  const cells = [of('a', '0-127'), of('b', '128-255')]
  await writeFile(path.join(folder, 'cells.json'), JSON.stringify({ cells }))
  await writeFile(path.join(folder, 'half.json'), JSON.stringify({ cells: cells.slice(1) }))
})
afterAll(() => rm(folder, { recursive: true }))

async function write(file: string, ...options: readonly string[]): Promise<string> {
  const program = new Command('ishtirak').exitOverride()
  addHaproxyCommand(program)
  const dir = path.join(folder, 'router')
  const of = ['--file', path.join(folder, file), '--public-url', 'https://billing.example.dz', '--dir', dir]
  await program.parseAsync(['haproxy', ...of, ...options], { from: 'user' })
  return dir
}

it('writes a folder: the cookie as this address has it, and each part with its cell', async () => {
  const dir = await write('cells.json', '--bind', ':443 ssl crt all.pem', '--trusted', '10.0.0.0/8', '::1')
  expect((await readdir(dir)).sort()).toEqual(['haproxy.cfg', 'marks.map', 'parts.map', 'unescape.lua'])
  const read = (name: string) => readFile(path.join(dir, name), 'utf8')
  const config = await read('haproxy.cfg')
  for (const line of ['  bind :443 ssl crt all.pem', 'req.cook(__Host-ishtirak),', '{ src 10.0.0.0/8 ::1 }'])
    expect(config).toContain(line)
  expect((await read('parts.map')).split('\n').slice(127, 129)).toEqual(['127 a', '128 b'])
  expect((await read('marks.map')).split('\n').slice(127, 129)).toEqual(['3z a', '40 b'])
})

it('says what is wrong with the file, and writes nothing', async () => {
  await expect(write('half.json', '--dir', path.join(folder, 'other'))).rejects.toThrow(ConfigError)
  expect(await readdir(folder)).not.toContain('other')
})
