// The three ways into a service that is wired and ready, for a host that mounts it.
import type { IncomingMessage } from 'node:http'
import { type MountedApp, mount } from '../http/mount.js'
import { ConfigError } from '../runtime/config-file.js'
import { withoutSlash } from '../runtime/http-client.js'
import type { Config } from './config.js'
import type { Service } from './wire.js'

export type HostRequests = WeakMap<IncomingMessage, object>

/** `hostRequests` has the host's own request, by the one that the app sees. */
export function mounted(
  { app, stop }: Pick<Service, 'app' | 'stop'>,
  options: { readonly config: Config; readonly hostRequests: HostRequests; readonly prefix?: string },
): MountedApp {
  const { publicUrl } = options.config
  const base = withoutSlash(new URL(publicUrl).pathname)
  const requirePrefix = (prefix: string) => {
    if (prefix !== '' && !(prefix.startsWith('/') && `${base}/`.endsWith(`${prefix}/`)))
      throw new ConfigError([
        `PUBLIC_URL must end with ${prefix}, where Ishtirak is mounted, with a ` +
          `slash before it: it is ${publicUrl}`,
      ])
  }
  const { prefix = base, hostRequests } = options
  return mount(app, { prefix, requirePrefix, hostRequests, stop })
}
