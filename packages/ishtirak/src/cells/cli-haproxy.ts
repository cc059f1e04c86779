// `ishtirak cells haproxy`: writes the files of the router. It asks nothing but the file of cells.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Command, Option } from 'commander'
import { cookiesFor } from '../pages/reader.js'
import { readCellsFile } from '../runtime/cells.js'
import { routerFiles } from './haproxy.js'

interface RouterOptions {
  readonly file: string
  readonly publicUrl: string
  readonly dir: string
  readonly bind: string
  readonly trusted: readonly string[]
  readonly socket: string
}

export function addHaproxyCommand(cells: Command): void {
  const ofVariable = (flag: string, description: string, variable: string) =>
    new Option(flag, description).env(variable).makeOptionMandatory()
  cells
    .command('haproxy')
    .description('Write the files of the router: HAProxy 2.6 or later asks the cell that has the user')
    .addOption(ofVariable('--file <file>', 'the cells', 'CELLS_FILE'))
    .addOption(ofVariable('--public-url <address>', 'where users reach the router', 'PUBLIC_URL'))
    .option('--dir <folder>', 'where they are written', 'haproxy')
    .option('--bind <address>', 'what HAProxy binds, such as ":443 ssl crt /etc/haproxy/all.pem"', ':80')
    .option('--trusted <address...>', 'proxies before it, whose X-Forwarded-For is passed on', [])
    .option('--socket <file>', 'the socket by which HAProxy reloads', '/run/haproxy/admin.sock')
    .action(({ file, publicUrl, dir, ...router }: RouterOptions) => {
      const sessionCookie = cookiesFor(publicUrl).cookie.session
      const files = routerFiles(readCellsFile(file), { ...router, sessionCookie })
      const folder = path.resolve(dir)
      mkdirSync(folder, { recursive: true })
      for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
      process.stdout.write(`${folder}: ${Object.keys(files).join(', ')}\n`)
    })
}
