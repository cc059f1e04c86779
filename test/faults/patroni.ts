// Debian's Patroni, etcd and HAProxy with the files of deploy/, on three machines that can be killed.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { waitFor } from '../support/wait-for.js'
import { createNetwork, Machine, PATH } from './machines.js'

const MACHINES = [
  { name: 'pg1', address: '10.0.0.11' },
  { name: 'pg2', address: '10.0.0.12' },
  { name: 'pg3', address: '10.0.0.13' },
] as const
const SERVICE_ADDRESS = '10.0.0.1'
const PASSWORDS = { superuser: 'tests', replication: 'tests-too' }
const PACKAGES = 'patroni python3-etcd etcd-server haproxy postgresql iproute2 util-linux'
const POSTGRES = '/usr/lib/postgresql'

const STANDBY = 'select pg_is_in_recovery()'
const LOG_SHOWN = 10_000

type Place = Readonly<Record<'name' | 'address', string>>

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

const read = (file: string) =>
  readFileSync(path.resolve(import.meta.dirname, '../../deploy', file), 'utf8').split('\n')

/** A file of deploy/ is that of the first machine; its lines that list all machines are the same for each. */
const fileOf = (file: string, { name, address }: Place) =>
  read(file)
    .map((line) =>
      line.includes(MACHINES[1].address)
        ? line
        : line.replace(MACHINES[0].name, name).replace(MACHINES[0].address, address),
    )
    .join('\n')

const etcdConfiguration = (place: Place) => fileOf('etcd', place)

const patroniConfiguration = (place: Place, version: string) =>
  fileOf('patroni.yml', place).replaceAll('postgresql/15/', `postgresql/${version}/`)

const haproxyConfiguration = (listen: string) =>
  read('haproxy.cfg').join('\n').replace('127.0.0.1:5432', listen)

type Member = { name: string; role: string; state: string }

/** `replica`: the standby that commits do not wait for. */
type Role = 'leader' | 'sync_standby' | 'replica'

export class PatroniCluster {
  /** By the address of the service machine that each runs on. */
  readonly #haproxies = new Map<string, ChildProcess>()

  private constructor(readonly machines: readonly Machine[]) {}

  /** Resolves when there is a primary, its synchronous standby and another standby. */
  static async create(): Promise<PatroniCluster> {
    const version = requirePatroni()
    createNetwork(SERVICE_ADDRESS)
    const machines = MACHINES.map(
      (place) =>
        new Machine({
          ...place,
          folders: ['/var/lib/etcd', '/var/lib/postgresql'],
          files: {
            '/etc/default/etcd': etcdConfiguration(place),
            '/etc/patroni/config.yml': patroniConfiguration(place, version),
          },
          services: [
            '(set -a; . /etc/default/etcd; as etcd etcd)',
            'as postgres patroni /etc/patroni/config.yml',
          ],
          env: {
            PATRONI_SUPERUSER_PASSWORD: PASSWORDS.superuser,
            PATRONI_REPLICATION_PASSWORD: PASSWORDS.replication,
          },
        }),
    )
    const cluster = new PatroniCluster(machines)
    await Promise.all(machines.map((machine) => machine.boot()))
    await cluster.isWhole()
    return cluster
  }

  /** Gives the URL of the primary through HAProxy, once it leads there. */
  async balance(address: string): Promise<string> {
    const file = `/run/haproxy-${address}.cfg`
    writeFileSync(file, haproxyConfiguration(`${address}:5432`))
    const child = spawn('haproxy', ['-db', '-f', file], { env: { PATH }, stdio: 'ignore' })
    this.#haproxies.set(address, child)
    const url = this.urlOf(address)
    // A new HAProxy leads to each server in turn until it has checked them.
    await waitFor(
      async () => (await Promise.all(MACHINES.map(() => ask(url, STANDBY)))).join() === 'false,false,false',
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
    return `postgres://postgres:${PASSWORDS.superuser}@${address}:5432/postgres`
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
