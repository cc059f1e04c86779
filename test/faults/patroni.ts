// Debian's Patroni, etcd and HAProxy with the files of `init production --cluster`, on three machines.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseEnv } from 'node:util'
import pg from 'pg'
import { runInit } from '../support/combinations.js'
import { waitFor } from '../support/wait-for.js'
import { createNetwork, Machine, PATH } from './machines.js'

const ADDRESSES = ['10.7.0.11', '10.7.0.12', '10.7.0.13']
const NETWORK = '10.7.0.0/24'
const SERVICE_ADDRESS = '10.7.0.1'
const FLAGS = {
  service: 'systemd',
  proxy: 'nginx',
  database: 'postgres',
  domain: 'billing.atlas.example',
} as const
/** Below the /run of the isolated computer. */
const FOLDER = '/run/production'
const PACKAGES = 'patroni python3-etcd etcd-server haproxy postgresql iproute2 util-linux'
const POSTGRES = '/usr/lib/postgresql'

const STANDBY = 'select pg_is_in_recovery()'
const LOG_SHOWN = 10_000

/** The newest that is installed; throws with the packages to install. */
export function requirePatroni(): string {
  try {
    for (const program of ['patroni', 'etcd', 'unshare']) accessSync(`/usr/bin/${program}`)
    accessSync('/usr/sbin/haproxy')
    const [newest] = readdirSync(POSTGRES).sort((one, other) => Number(other) - Number(one))
    if (newest === undefined) throw new Error(`${POSTGRES} is empty`)
    return newest
  } catch (error) {
    throw new Error(`apt-get install ${PACKAGES}: ${error}`)
  }
}

const read = (file: string) => readFileSync(path.join(FOLDER, file), 'utf8')

type Member = { name: string; role: string; state: string }

/** `replica`: the standby that commits do not wait for. */
type Role = 'leader' | 'sync_standby' | 'replica'

export class PatroniCluster {
  /** Keyed by the address of the service machine on which each runs. */
  readonly #haproxies = new Map<string, ChildProcess>()

  private constructor(readonly machines: readonly Machine[]) {}

  /** Resolves when there is a primary, its synchronous standby and another standby. */
  static async create(): Promise<PatroniCluster> {
    const version = requirePatroni()
    createNetwork(SERVICE_ADDRESS)
    const own = { cluster: ADDRESSES.join(), network: NETWORK, 'postgres-version': version }
    await runInit(FOLDER, { ...FLAGS, ...own })
    const machines = ADDRESSES.map((address, place) => {
      const name = `pg${place + 1}`
      return new Machine({
        ...{ name, address, etc: path.join(FOLDER, name, 'etc') },
        folders: ['/var/lib/etcd', '/var/lib/postgresql'],
        // Debian's units start them in this way.
        services: [
          '(set -a; . /etc/default/etcd; as etcd etcd)',
          '(set -a; . /etc/patroni_env.conf; as postgres patroni /etc/patroni/config.yml)',
        ],
      })
    })
    const cluster = new PatroniCluster(machines)
    await Promise.all(machines.map((machine) => machine.boot()))
    await cluster.isWhole()
    return cluster
  }

  /** Once, as the printed steps do it. `url` leads to the primary. */
  createDatabase(url: string): void {
    const words = ['--quiet', '--set=ON_ERROR_STOP=1', `--file=${FOLDER}/database.sql`, url]
    execFileSync('psql', words, { stdio: ['ignore', 'ignore', 'inherit'] })
  }

  /** Gives the URL of the primary through HAProxy, once it leads there. */
  async balance(address: string): Promise<string> {
    const file = `/run/haproxy-${address}.cfg`
    // Two service machines share this network.
    writeFileSync(file, read('haproxy.cfg').replace('127.0.0.1:5432', `${address}:5432`))
    const child = spawn('haproxy', ['-db', '-f', file], { env: { PATH }, stdio: 'ignore' })
    this.#haproxies.set(address, child)
    const url = this.urlOf(address)
    // A new HAProxy leads to each server in turn until it has checked them.
    await waitFor(
      async () => (await Promise.all(ADDRESSES.map(() => ask(url, STANDBY)))).join() === 'false,false,false',
    )
    return url
  }

  async killBalancer(address: string): Promise<void> {
    const child = this.#haproxies.get(address)
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  urlOf(address: string): string {
    const { PATRONI_SUPERUSER_PASSWORD: password } = parseEnv(read('pg1/etc/patroni_env.conf'))
    return `postgres://postgres:${password}@${address}:5432/postgres`
  }

  /** The DATABASE_URL of the service machine with this address. */
  serviceUrl(address: string): string {
    const { DATABASE_URL = '' } = parseEnv(read('environment'))
    return DATABASE_URL.replace('@127.0.0.1:', `@${address}:`)
  }

  /** As the machines that answer see it; empty while none does. */
  async members(): Promise<readonly Member[]> {
    const seen = await Promise.allSettled(
      this.machines.map(async ({ address }) => {
        const response = await fetch(`http://${address}:8008/cluster`, { signal: AbortSignal.timeout(1_000) })
        return ((await response.json()) as { members: Member[] }).members
      }),
    )
    return seen.find((one) => one.status === 'fulfilled')?.value ?? []
  }

  async isWhole(): Promise<void> {
    const follow = `select sync_state from pg_stat_replication where state = 'streaming' order by sync_state`
    await this.#waitFor(
      async () =>
        (await this.#askPrimary(follow)).join() === 'async,sync' &&
        (await this.members()).some(({ role }) => role === 'sync_standby'),
    )
  }

  async isWithout({ name }: Machine): Promise<void> {
    const names = 'select application_name from pg_stat_replication'
    await this.#waitFor(async () => {
      const followers = await this.#askPrimary(names)
      return followers.length > 0 && !followers.includes(name)
    })
  }

  /** Resolves when the standbys have done all that the primary has. Nothing may be writing. */
  async hasReplicated(): Promise<void> {
    const behind = `select pg_current_wal_lsn() - replay_lsn from pg_stat_replication`
    await this.#waitFor(async () => (await this.#askPrimary(behind)).join() === '0,0')
  }

  async passesOn(role: Role, { name: before }: Machine): Promise<void> {
    await this.#waitFor(async () =>
      (await this.members()).some(
        (member) => member.role === role && member.state === 'running' && member.name !== before,
      ),
    )
  }

  async machineOf(role: Role): Promise<Machine> {
    const member = (await this.members()).find((one) => one.role === role)
    const machine = this.machines.find(({ name }) => name === member?.name)
    if (!machine) throw new Error(`there is no ${role}`)
    return machine
  }

  async #askPrimary(sql: string): Promise<readonly unknown[]> {
    const leader = (await this.members()).find((one) => one.role === 'leader')
    const machine = this.machines.find(({ name }) => name === leader?.name)
    return machine ? await ask(this.urlOf(machine.address), sql) : []
  }

  async #waitFor(condition: () => Promise<boolean>): Promise<void> {
    await waitFor(condition, () =>
      this.machines.map(({ name, log }) => `${name}:\n${log.slice(-LOG_SHOWN)}`).join('\n'),
    )
  }

  async switchOver(): Promise<void> {
    const [leader, candidate] = await Promise.all([this.machineOf('leader'), this.machineOf('sync_standby')])
    const response = await fetch(`http://${leader.address}:8008/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: leader.name, candidate: candidate.name }),
    })
    if (response.status !== 200) throw new Error(`the switchover was refused: ${await response.text()}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const address of this.#haproxies.keys()) await this.killBalancer(address)
    await Promise.all(this.machines.map((machine) => machine.kill()))
  }
}

async function ask(url: string, sql: string): Promise<readonly string[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 1_000,
    query_timeout: 1_000,
  })
  // Without a listener a connection that is cut would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query({ text: sql, rowMode: 'array' })
    return rows.map(([value]) => String(value))
  } catch {
    return []
  } finally {
    await client.end().catch(() => undefined)
  }
}
