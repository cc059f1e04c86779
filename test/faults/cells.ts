// Three cells on this machine, each with its own PostgreSQL server and service processes, and HAProxy before
// them with the files that `ishtirak cells haproxy` writes.
import { exec } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Emulator } from '../../packages/chargily-emulator/src/emulator.js'
import { parseCells, partOf, partsOf } from '../../packages/ishtirak/src/runtime/cells.js'
import { CELLS_KEY } from '../support/cells.js'
import { OPERATOR_ENV } from '../support/operator.js'
import { PLATFORM_KEY, WITH_PLATFORM } from '../support/platform.js'
import { launchService, PROGRAM, runCommand } from '../support/process.js'
import { type CellOfFile, type Router, startRouter } from '../support/router.js'
import { waitFor } from '../support/wait-for.js'
import { type Installation, serverInstallation } from './installations.js'
import { PostgresNode } from './postgres-node.js'

export const CELL_NAMES = ['a', 'b', 'c'] as const
export type CellName = (typeof CELL_NAMES)[number]

const PARTS: Record<CellName, string> = { a: '0-85', b: '86-170', c: '171-255' }
/** How long users who move are refused at most; a busy machine has time. */
const MOVE_SECONDS = '30'

/** The shell's command by which a machine with a router writes its files. */
function writeRouter({ folder, port, file }: { folder: string; port: number; file: string }): string {
  const program = `'${process.execPath}' '${PROGRAM}'`
  const own = `--dir '${folder}' --bind 127.0.0.1:${port} --socket '${folder}/admin.sock'`
  const command = `${program} cells haproxy --file '${file}' --public-url http://127.0.0.1:${port} ${own}`
  // Who is not root can become no other user.
  const isRoot = process.getuid?.() === 0
  return isRoot ? command : `${command} && sed -i -E '/^  (user|group|chroot) /d' '${folder}/haproxy.cfg'`
}

/** One cell. */
class Cell {
  #services: ReturnType<typeof launchService>[] = []

  constructor(
    readonly node: PostgresNode,
    readonly installations: readonly Installation[],
  ) {}

  get addresses(): string[] {
    return this.installations.map(({ env }) => `127.0.0.1:${env.PORT}`)
  }

  get env(): Record<string, string> {
    return this.installations[0]?.env ?? {}
  }

  async start(env: Record<string, string>): Promise<void> {
    this.#services = this.installations.map((own) => launchService({ ...own.env, ...env }))
    await Promise.all(this.#services.map((service) => service.listening()))
    await this.isReady()
  }

  /** As the router asks. */
  async isReady(): Promise<void> {
    const ready = async (address: string) =>
      (await fetch(`http://${address}/readyz`).catch(() => null))?.ok === true
    await waitFor(async () => (await Promise.all(this.addresses.map(ready))).every(Boolean))
  }

  async kill(): Promise<void> {
    await Promise.all(this.#services.map((service) => service.kill('SIGKILL')))
  }

  get lines(): readonly string[] {
    return this.#services.flatMap(({ lines }) => lines)
  }

  async remove(): Promise<void> {
    await this.kill()
    await this.node.remove()
    for (const installation of this.installations) await installation.remove()
  }
}

export class Cells {
  private constructor(
    private readonly cells: Readonly<Record<CellName, Cell>>,
    private readonly folder: string,
    readonly router: Router,
  ) {}

  /** Each with so many service processes. */
  static async begin(emulator: Emulator, services: number): Promise<Cells> {
    const folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-cells-'))
    const begin = async () => {
      const node = await PostgresNode.create()
      const installed = () => serverInstallation(emulator, node.url)
      return new Cell(node, await Promise.all(Array.from({ length: services }, installed)))
    }
    const [a, b, c] = await Promise.all([begin(), begin(), begin()])
    const cells = { a, b, c }
    const listed = CELL_NAMES.map((name) => ({
      ...{ name, parts: [PARTS[name]], servers: cells[name].addresses },
    }))
    writeFileSync(path.join(folder, 'cells.json'), JSON.stringify({ cells: listed }))
    const write = async (folder: string, of: readonly CellOfFile[], { port = 0 } = {}) => {
      const file = path.join(folder, 'cells.json')
      writeFileSync(file, JSON.stringify({ cells: of }))
      await promisify(exec)(writeRouter({ folder, port, file }))
      return path.join(folder, 'haproxy.cfg')
    }
    const all = new Cells(cells, folder, await startRouter(listed, { write }))
    await Promise.all(CELL_NAMES.map((name) => all.startServices(name)))
    return all
  }

  /** Whether the router has a server of each cell. */
  async isWhole(): Promise<boolean> {
    const users = Array.from({ length: 64 }, (_, n) => `whole-${n}`)
    const asked = CELL_NAMES.map(async (name) => {
      const userId = users.find((one) => this.holderOf(one) === name)
      const headers = { authorization: `Bearer ${PLATFORM_KEY}` }
      return (await fetch(`${this.url}/api/v1/platform/users/${userId}`, { headers })).ok
    })
    return (await Promise.all(asked)).every(Boolean)
  }

  get bugs(): string[] {
    const lines = CELL_NAMES.flatMap((name) => this.cells[name].lines)
    return lines.filter((line) => line.includes('"a bug"'))
  }

  get url(): string {
    return this.router.url
  }

  get urls(): string[] {
    return CELL_NAMES.map((name) => this.node(name).url)
  }

  get #file(): string {
    return path.join(this.folder, 'cells.json')
  }

  /** As CELLS_FILE has them now. */
  get listed(): readonly CellOfFile[] {
    return JSON.parse(readFileSync(this.#file, 'utf8')).cells
  }

  holderOf(userId: string): CellName {
    return this.#holderOfPart(partOf(userId))
  }

  #holderOfPart(part: number): CellName {
    const listed = parseCells(readFileSync(this.#file, 'utf8'))
    const name = listed.find(({ parts }) => parts.has(part))?.name
    const found = CELL_NAMES.find((one) => one === name)
    if (!found) throw new Error(`no cell has the part ${part}`)
    return found
  }

  node(name: CellName): PostgresNode {
    return this.cells[name].node
  }

  killServices(name: CellName): Promise<void> {
    return this.cells[name].kill()
  }

  startServices(name: CellName): Promise<void> {
    return this.cells[name].start(this.#envOf(name))
  }

  isReady(name: CellName): Promise<void> {
    return this.cells[name].isReady()
  }

  /** `ishtirak cells move` from the cell that has the parts now; `onOutput` gets what it prints. */
  move(
    { parts, from, to }: { readonly parts: string; readonly from: CellName; readonly to: CellName },
    options: { readonly more?: readonly string[]; readonly onOutput?: (output: string) => void } = {},
  ) {
    const { folder, pid, url } = this.router
    const port = Number(new URL(url).port)
    const reload = `${writeRouter({ folder, port, file: this.#file })} && kill -USR2 ${pid}`
    const wish = ['--parts', parts, '--to', to, '--wait', MOVE_SECONDS, '--reload', reload]
    const env = { ...this.cells[from].env, ...this.#envOf(from), CELL_TO_DATABASE_URL: this.node(to).url }
    return runCommand(['cells', 'move', ...wish, ...(options.more ?? [])], env, options.onOutput)
  }

  /** Which of two cells has the parts, and which has not. */
  way(parts: string, between: readonly [CellName, CellName]): { from: CellName; to: CellName } {
    const from = this.#holderOfPart(partsOf(parts)?.[0] ?? 0)
    return { from, to: from === between[0] ? between[1] : between[0] }
  }

  async end(): Promise<void> {
    await this.router[Symbol.asyncDispose]()
    await Promise.all(CELL_NAMES.map((name) => this.cells[name].remove()))
    rmSync(this.folder, { recursive: true })
  }

  #envOf(name: CellName): Record<string, string> {
    return {
      ...{ CELL: name, CELLS_FILE: this.#file, CELLS_KEY, PUBLIC_URL: this.url },
      ...{ ...WITH_PLATFORM, ...OPERATOR_ENV, RATE_LIMIT_PER_MINUTE: '1000000' },
    }
  }
}
