import { Command } from 'commander'
import { addInitCommand } from '../../packages/ishtirak/src/setup/init-command.js'

export interface Combination {
  readonly service: 'systemd' | 'compose'
  readonly proxy: 'nginx' | 'caddy'
  readonly database: 'embedded' | 'postgres'
}

export const COMBINATIONS: readonly Combination[] = (['systemd', 'compose'] as const).flatMap((service) =>
  (['nginx', 'caddy'] as const).flatMap((proxy) =>
    (['embedded', 'postgres'] as const).map((database) => ({ service, proxy, database })),
  ),
)

export function flagsOf(combination: Combination, domain: string): Readonly<Record<string, string>> {
  return { ...combination, domain, operator: 'amina' }
}

/** Runs without a terminal. Gives what the command prints, and rejects with it where the command refuses. */
export async function runInit(dir: string, flags: Readonly<Record<string, string>>): Promise<string> {
  const said: string[] = []
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined })
  addInitCommand(program, (text) => said.push(text))
  const words = Object.entries(flags).map(([name, value]) => `--${name}=${value}`)
  await program.parseAsync(['init', 'production', `--dir=${dir}`, ...words], { from: 'user' })
  return said.join('\n')
}

export const initProduction = (dir: string, combination: Combination, domain: string) =>
  runInit(dir, flagsOf(combination, domain))
