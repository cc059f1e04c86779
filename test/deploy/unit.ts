// deploy/ishtirak.service as its lines say it, for tests that do without a running systemd.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'

const deploy = path.resolve(import.meta.dirname, '../../deploy')

/** The values of a setting, in the order of their lines; a line may be there several times. */
function settingsOf(file: 'ishtirak.service' | 'ishtirak-server.conf', name: string): readonly string[] {
  const lines = readFileSync(path.join(deploy, file), 'utf8').split('\n')
  return lines.flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []))
}

export function settingOf(file: 'ishtirak.service' | 'ishtirak-server.conf', name: string): string {
  const [value] = settingsOf(file, name)
  if (value === undefined) throw new Error(`${file} has no ${name}`)
  return value
}

/** All other calls fail with EPERM, as in the unit. */
export function seccompProfile(): string {
  const names = new Set<string>()
  for (const filter of settingsOf('ishtirak.service', 'SystemCallFilter')) {
    for (const item of filter.replace('~', '').split(' ')) {
      for (const name of callsOf(item)) {
        if (filter.startsWith('~')) names.delete(name)
        else names.add(name)
      }
    }
  }
  const action = 'SCMP_ACT_ALLOW'
  const architectures = ['SCMP_ARCH_X86_64', 'SCMP_ARCH_AARCH64']
  const syscalls = [{ names: [...names], action }]
  return JSON.stringify({ defaultAction: 'SCMP_ACT_ERRNO', defaultErrnoRet: 1, architectures, syscalls })
}

function callsOf(item: string): readonly string[] {
  if (!item.startsWith('@')) return [item]
  const list = execFileSync('systemd-analyze', ['syscall-filter', item], { encoding: 'utf8' })
  return [...list.matchAll(/^ {4}([@\w-]+)$/gm)].flatMap(([, name = '']) => callsOf(name))
}
