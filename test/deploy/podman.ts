// For machines without a registry, where root may not raise limits and control groups are mixed.
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { requireTool } from '../support/system-tools.js'

const exec = promisify(execFile)

export interface Podman {
  run(...parameters: readonly string[]): Promise<string>
  /** Made of the machine's npm, shell and C library, in place of Node's own image. */
  makeBase(node: string): Promise<string>
  close(): Promise<void>
}

/** `crun` refuses a machine that has controllers in both versions of control groups. */
const WITHOUT_SECOND_CGROUPS = `second=/sys/fs/cgroup/unified
  if mountpoint -q $second; then umount $second && mount -t tmpfs tmpfs $second; fi
  exec podman "$@"`

/** Podman's own are above what some machines let root set. */
const LIMITS = '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n'

export function openPodman(): Podman {
  requireTool('podman')
  const folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-podman-'))
  const settings = path.join(folder, 'containers.conf')
  writeFileSync(settings, LIMITS)
  const { PATH = '', HOME = '' } = process.env
  // `vfs` copies, and needs nothing of the file system that the tests run on.
  const env = { PATH, HOME, CONTAINERS_CONF: settings, STORAGE_DRIVER: 'vfs', BUILDAH_ISOLATION: 'chroot' }
  const storage = [
    '--root',
    `${folder}/storage`,
    '--runroot',
    `${folder}/run`,
    '--cgroup-manager',
    'cgroupfs',
  ]
  const run: Podman['run'] = async (...parameters) => {
    const command = ['-m', 'sh', '-c', WITHOUT_SECOND_CGROUPS, 'podman', ...storage, ...parameters]
    const { stdout } = await exec('unshare', command, { env, maxBuffer: 2 ** 24 })
    return stdout.trim()
  }
  return {
    run,
    makeBase: async (node) => {
      const base = path.join(folder, 'base')
      copyNode(node, path.join(base, 'root'))
      writeFileSync(path.join(base, 'Containerfile'), 'FROM scratch\nCOPY root/ /\nENV PATH=/usr/bin\n')
      await run('build', '--layers=false', '--quiet', '--tag', 'localhost/node', base)
      return 'localhost/node'
    },
    close: async () => {
      await run('rm', '--force', '--all', '--time', '0')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function copyNode(node: string, root: string): void {
  for (const name of ['usr/bin', 'usr/lib', 'tmp', 'root', 'proc', 'sys', 'dev', 'etc/ssl/certs']) {
    mkdirSync(path.join(root, name), { recursive: true })
  }
  symlinkSync('usr/bin', path.join(root, 'bin'))
  const copy = (from: string, to = from) =>
    cpSync(realpathSync(from), path.join(root, to), { recursive: true })
  copy(node, 'usr/bin/node')
  for (const name of ['sh', 'env', 'rm']) copy(`/usr/bin/${name}`)
  for (const library of libraries()) copy(library)
  const npm = execFileSync('npm', ['root', '--global'], { encoding: 'utf8' }).trim()
  copy(path.join(npm, 'npm'), 'usr/lib/npm')
  symlinkSync('../lib/npm/bin/npm-cli.js', path.join(root, 'usr/bin/npm'))
  copy('/etc/ssl/certs/ca-certificates.crt')
  writeFileSync(path.join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/:/bin/sh\n')
}

function libraries(): readonly string[] {
  const files = execFileSync('dpkg', ['-L', 'libc6', 'libgcc-s1', 'libstdc++6'], { encoding: 'utf8' })
  return (
    files.match(/^\/(usr\/)?lib(64)?\/\S*\.so(\.\d+)*$/gm)?.filter((file) => !file.includes('gconv')) ?? []
  )
}
